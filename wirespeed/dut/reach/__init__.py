"""Access methods to the machine of a device under test: SSH, a namespace, this machine, or a console log."""

__all__ = ["api_socket", "local", "questions", "reach", "spec", "ssh"]
