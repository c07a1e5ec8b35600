"""The calculator's arithmetic: every golden value, every law, every refusal."""
