"""The lesson: seventeen chapters that play in the browser, and the game that opens it."""
