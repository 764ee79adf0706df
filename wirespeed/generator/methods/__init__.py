"""The RPC methods, by subject. Importing this registers them all."""

from wirespeed.generator.methods import ports, session, statistics, streams, traffic

__all__ = ["ports", "session", "statistics", "streams", "traffic"]
