"""Testbed files: tester, links and DUT of a measurement, and the check of each part."""

__all__ = [
    "cables",
    "ceiling",
    "check",
    "facts",
    "file",
    "interfaces",
    "links",
    "model",
    "neighbours",
    "options",
    "packets",
    "tester",
]
