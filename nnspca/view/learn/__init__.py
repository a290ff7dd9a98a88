"""The lesson: twelve chapters that play in the browser, and the game that opens it."""
