"""What solvers and bounds compute with: rounding allowances, exact doubles, and projections onto the sets they need."""
