"""Ways to the machine of a device under test: over SSH, in a namespace, here, or a record of its console."""

__all__ = ["api_socket", "local", "questions", "reach", "spec", "ssh"]
