"""What the pages share: the state of a link, widgets, runs, what outlives a redraw, and charts."""
