"""wirespeed: measure what a router really forwards, and explain why."""

__version__ = "0.1.0"
