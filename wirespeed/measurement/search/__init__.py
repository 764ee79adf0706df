"""Searches for the highest loads that a device carries."""
