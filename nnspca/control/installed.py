"""Which version this is, and where the files beside the package lie: in the checkout, or where they were installed."""

import importlib.metadata
from pathlib import Path

VERSION = "0.2.0"


def beside_package() -> Path:
    """Return the folder of the app's script, its pages and its pictures."""
    checkout = Path(__file__).parents[2]
    placed = (Path(str(file.locate())) for file in importlib.metadata.files("nnspca") or () if file.name == "app.py")
    return checkout if (checkout / "app.py").exists() else next(placed).parent
