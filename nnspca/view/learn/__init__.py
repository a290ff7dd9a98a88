"""The lesson: seventeen steps that play in the browser, and the game that opens it."""
