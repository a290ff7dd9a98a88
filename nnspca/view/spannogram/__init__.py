"""The spannogram page: curves on a circle, cells on a sphere."""
