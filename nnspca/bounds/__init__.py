"""Upper bounds on one component, one module each; :data:`nnspca.bounds.registry.BOUNDS` lists them."""
