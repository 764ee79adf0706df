"""Servers of this program: accepting connections, HTTP, and who may ask."""

__all__ = ["accepting", "guard", "http", "loopback", "shortage"]
