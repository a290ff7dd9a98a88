"""One module a bound; :data:`nnspca.bounds.registry.BOUNDS` lists them."""
