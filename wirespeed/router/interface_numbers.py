"""The numbers that clients know interfaces by."""


def shown_index(interface: int) -> int:
    """VPP counts its local0 as interface 0, so the first port is 1."""
    return interface + 1
