"""Resampling: the stability of parts, and the k that cross-validation favours. Estimates, not proofs."""
