"""Validation status: one table of what was tested on which hardware, from which docs/validation.md and lines of the
README are written."""

__all__ = ["proved"]
