"""Guests: QEMU, a kernel and a Debian system out of Debian's packages, and what runs one machine of them."""

__all__ = ["debian", "image", "machine", "packages", "qemu"]
