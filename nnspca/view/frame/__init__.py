"""Frame around every page: sidebar, style sheet, a phone's bar, and the server's middleware."""
