"""Jobs: background work with progress and Stop, the workers it shares, and how pages show it."""
