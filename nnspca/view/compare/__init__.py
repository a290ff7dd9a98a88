"""The compare page: data sets, or solvers, in one figure."""
