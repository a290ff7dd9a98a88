"""Frame around every page: sidebar, style sheet, presenter mode, a phone's bar, and the server's middleware."""
