"""What every public call shares: its arguments checked, its progress told and its Stop heard, its threads held."""
