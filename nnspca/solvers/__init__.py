"""One module a method; :data:`nnspca.solvers.registry.METHODS` lists them."""
