"""The statistics segment, as VPP lays it out and as our router does: shared memory that workers count in."""

__all__ = ["reading", "segment"]
