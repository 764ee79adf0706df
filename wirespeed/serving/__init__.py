"""Servers of this program: accepting connections, HTTP, and who may ask."""
