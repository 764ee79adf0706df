"""The command line: each command is a thin function in a module of its own, imported when it is called."""

__all__ = ["main"]
