"""The address of a Ray cluster, and whether anything answers there: Ray itself waits for minutes."""

from __future__ import annotations

from socket import create_connection

from wirespeed.errors import ConnectionFault, UsageError

_ANSWER_S = 5.0


def check_cluster(address: str) -> None:
    """UsageError unless `address` is HOST:PORT, ConnectionFault where nothing accepts a connection within 5 s."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise UsageError(f"cluster {address!r} cannot be read: give HOST:PORT, such as 127.0.0.1:6379")
    try:
        create_connection((host.strip("[]"), int(port)), _ANSWER_S).close()
    except OSError as error:
        raise ConnectionFault(
            f"no Ray cluster answers at {address} ({error.strerror or error}); start one by `wirespeed campaign worker`"
        ) from None
