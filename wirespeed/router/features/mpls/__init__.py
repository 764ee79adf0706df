"""MPLS: labels and where they lead."""

COMMANDS = ("mpls", "set interface mpls", "show mpls")
