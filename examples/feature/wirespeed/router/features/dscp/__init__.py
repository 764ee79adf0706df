"""Packets counted by their DSCP."""

COMMANDS = ("set dscp", "show dscp")
