"""Access lists and their sessions."""

COMMANDS = ("set acl-plugin", "delete acl-plugin", "clear acl-plugin", "show acl-plugin")
