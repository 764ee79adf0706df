"""VPP's start-up file: read as it is, and what of it has a meaning here."""

__all__ = ["log", "requests", "settings"]
