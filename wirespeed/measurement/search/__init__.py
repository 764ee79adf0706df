"""Searches for the highest loads that a device carries."""

__all__ = ["goals", "plan", "result", "run"]
