"""Several components: one after the other, each on what those before it leave of the covariance."""
