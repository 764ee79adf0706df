"""Packets that a port loses, delays, reorders and doubles on purpose."""

COMMANDS = ("set interface impairment", "show impairment")
