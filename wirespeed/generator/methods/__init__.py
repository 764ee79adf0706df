"""The RPC methods, by subject: `METHODS` holds them all once this is imported."""

from wirespeed.generator.methods import ports, session, statistics, streams, traffic
from wirespeed.generator.registry import METHODS

__all__ = ["METHODS", "ports", "session", "statistics", "streams", "traffic"]
