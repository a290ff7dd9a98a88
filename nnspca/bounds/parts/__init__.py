"""Upper bounds on what several parts of disjoint supports can explain together."""
