"""Policers of packets to Linux and to the main thread."""

COMMANDS = ("set punt policer", "show punt policer")
