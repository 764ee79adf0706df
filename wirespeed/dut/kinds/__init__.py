"""Kinds of devices: what each is asked, how each is prepared, what each tells under load."""

__all__ = ["linux", "linux_filter", "linux_load", "vpp", "vpp_language"]
