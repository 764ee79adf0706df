"""Holding a load on a device and counting what becomes of it: what every kind of test is made of."""

__all__ = [
    "bursts",
    "controller",
    "directions",
    "flow_session",
    "links",
    "load",
    "machine",
    "mix",
    "plan",
    "rates",
    "reading",
    "silence",
    "tester",
    "trial",
]
