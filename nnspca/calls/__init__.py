"""What every public call shares: argument checks, progress reports, the stop switch, and limits on threads."""
