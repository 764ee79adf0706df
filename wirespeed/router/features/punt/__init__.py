"""Policers of what is handed to Linux and to the main thread."""

COMMANDS = ("set punt policer", "show punt policer")
