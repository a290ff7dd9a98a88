"""The samples page: what one component says about the samples, and why it has each of its features."""
