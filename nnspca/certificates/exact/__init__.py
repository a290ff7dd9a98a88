"""What the stand-alone checkers read: proofs written out in whole numbers and plain arrays. Nothing here judges."""
