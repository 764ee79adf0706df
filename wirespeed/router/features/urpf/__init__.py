"""Unicast reverse path forwarding: packets whose source is not where they came from."""

COMMANDS = ("set urpf", "set urpf-accept", "show urpf", "show urpf-accept")
