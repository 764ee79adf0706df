"""Talking to a generator, wirespeed's or a T-Rex: its stateless RPC from the other side."""

__all__ = ["flow_sets", "framing", "generator_client", "probes", "readings", "stateless_client"]
