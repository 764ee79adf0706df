"""Bonds: ports that are one interface together."""

COMMANDS = ("create bond", "delete bond", "bond", "show bond", "show lacp")
