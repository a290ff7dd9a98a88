"""Certificates: the proofs of bounds, their judge, and their file format.

- The proofs: :mod:`.proofs`, a type each, plain values without any code.
- The judge: :mod:`.judge` uses :mod:`.derivations`, whose table gives for each type the function
  that re-derives its value; these functions are in :mod:`.eigenvalues`, :mod:`.rows`, :mod:`.pairs`
  and :mod:`.elimination` (with :mod:`.boxes`). Numbers and names are checked by :mod:`.numbers`. They
  import no solver, no bound and nothing that writes.
- The writers: :mod:`.exact`, whose table gives for each type the function that writes it for the
  stand-alone checkers. They share nothing with the judge but the proofs.
- The file: :mod:`.file` saves and loads, and lets :mod:`.exact` add what the checkers read;
  :mod:`.npz` reads arrays that may be damaged or hostile.
- :mod:`.starts`: whether a proof's multipliers can start a search.
"""
