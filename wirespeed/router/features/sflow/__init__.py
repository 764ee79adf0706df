"""Packet samples and counters on their way out of the router: as VPP's plugin sends them, and as sFlow datagrams."""

COMMANDS = ("sflow", "show sflow")
