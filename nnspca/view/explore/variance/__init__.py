"""The variance page: variance against k, and the certified band."""
