"""Talking to a generator, ours or a T-Rex: its stateless RPC from the other side."""
