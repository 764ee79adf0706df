"""Load tests: the load warmed up, ramped and held."""

__all__ = ["plan", "result", "run"]
