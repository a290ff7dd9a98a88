"""The lesson: a game, and eight chapters that play in the browser."""
