"""Writes proofs in whole numbers and plain arrays for the stand-alone checkers. Nothing here judges."""
