"""State, widgets, jobs, caches and charts: the modules that several pages share."""
