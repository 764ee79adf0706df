"""The live page: a test as its file grows, results with their reports. It looks and does not touch."""

__all__ = ["app", "options", "serving"]
