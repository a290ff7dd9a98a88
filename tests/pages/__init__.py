"""The pages without a browser."""
