"""Kinds of measurement, a folder each, and what they share."""

__all__ = [
    "driver",
    "execution",
    "file",
    "followed",
    "load",
    "loadtest",
    "measurement",
    "option",
    "options",
    "output",
    "registry",
    "reported",
    "rerun",
    "search",
    "stand",
    "texts",
]
