"""What other samples would say: how stable parts are, and which k they ask for. Sampling, not proof."""
