"""The parts page: several components side by side."""
