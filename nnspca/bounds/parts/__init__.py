"""Upper bounds on the total variance of several parts with disjoint supports."""
