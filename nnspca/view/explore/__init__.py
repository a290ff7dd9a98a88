"""The explore page: one component, and its place in the certified band."""
