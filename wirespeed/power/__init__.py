"""Power during a test: meters, a log of their readings, and a device under test with a meter."""

__all__ = ["meter", "metered", "spec"]
