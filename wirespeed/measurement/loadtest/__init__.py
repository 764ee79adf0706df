"""Load tests: the load warmed up, ramped and held."""
