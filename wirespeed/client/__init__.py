"""Talking to a generator, wirespeed's or a T-Rex: its stateless RPC from the other side."""
