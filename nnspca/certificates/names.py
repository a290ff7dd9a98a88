"""The names that a certificate may carry: of methods and of efforts, listed here as the judge knows no solver."""

METHODS = (
    "best",
    "spannogram",
    "enumeration",
    "epsilon-net",
    "em",
    "coordinate-descent",
    "pca",
    "thresholding",
    "elastic-net",
    "greedy",
    "scotlass",
    "dspca",
    "nmf",
    "exact",
    "given",  # loadings of the caller's own
)
EFFORTS = ("live", "thorough")
