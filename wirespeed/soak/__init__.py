"""Soak: a load held for minutes to days, and what that proves of a loss ratio."""
