"""Certificate files that every checker must accept or must refuse, and their data: ``cases.json`` says which."""
