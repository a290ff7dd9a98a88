"""Solvers, one module each; :data:`nnspca.solvers.registry.METHODS` lists them.

A method's module has the name of its one entry, ``nnspca.solvers.em.em``, and so have what methods share, such as
:mod:`.climb`; outside this package and the app's no module has the name of a function of its own. As nothing is
imported here, ``nnspca.solvers.em`` is always the module: importing and patching are plain.
"""
