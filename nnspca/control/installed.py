"""Where the files beside the package lie: in the checkout, or where the installer put them."""

import importlib.metadata
from pathlib import Path


def beside_package() -> Path:
    """Return the folder of the app's script, its pages and its pictures."""
    checkout = Path(__file__).parents[2]
    placed = (Path(str(file.locate())) for file in importlib.metadata.files("nnspca") or () if file.name == "app.py")
    return checkout if (checkout / "app.py").exists() else next(placed).parent
