"""The judge's room: proofs, the file they travel in, and one module a proof type that derives its value again."""
