"""The Linux control plane: interfaces that Linux has too."""

COMMANDS = ("lcp", "show lcp")
