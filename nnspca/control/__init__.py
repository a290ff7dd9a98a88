"""What every public call shares: argument checks, progress reports, Stop, and limits on threads."""
