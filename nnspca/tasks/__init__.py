"""What is asked of one component: solve, certify, sweep over k, the path, necessity, contribution, and its scores."""
