"""VPP's own Python client, connected, with the definitions of whom it is connected to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vpp_papi import VPPApiClient

from wirespeed.errors import ConnectionFault

PATIENCE_S = 30
VPP_DEFINITIONS = "/usr/share/vpp/api"
"""Directory of the *.api.json files of VPP's packages."""


def connect(
    socket: Path,
    name: str = "wirespeed",
    *,
    shown_as: str = "",
    definitions: Callable[[], Path] = lambda: Path(VPP_DEFINITIONS),
) -> Any:
    """A `VPPApiClient` at the socket, to be disconnected by the caller; ConnectionFault when nobody speaks the API
    there. What messages there are it asks the router; an older VPP does not answer that, and there they are read from
    the folder that `definitions` gives. `shown_as` is what errors call the place."""
    place = shown_as or str(socket)
    try:
        return _connected(VPPApiClient(server_address=str(socket), read_timeout=PATIENCE_S, bootstrapapi=True), name)
    except AttributeError:  # vpp_papi has no function for a message that the router has not
        return _by_files(socket, name, definitions(), place)
    except Exception as error:
        raise _fault(place, error) from None


def _by_files(socket: Path, name: str, directory: Path, place: str) -> Any:
    try:
        client = VPPApiClient(server_address=str(socket), read_timeout=PATIENCE_S, apidir=str(directory))
        return _connected(client, name)
    except Exception as error:
        raise _fault(place, error) from None


def _connected(client: Any, name: str) -> Any:
    try:
        client.connect(name)
    except BaseException:
        client.transport.connected = False
        if client.transport.socket is not None:
            client.transport.socket.close()
        raise
    return client


def _fault(place: str, error: Exception) -> ConnectionFault:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    logging.getLogger(__name__).debug("connecting to %s", place, exc_info=error)
    return ConnectionFault(
        f"there is no VPP API at {place}: {reason}; the router's socksvr section, or --api-socket, says where"
    )


@contextmanager
def connected(socket: Path, name: str = "wirespeed", **given: Any) -> Iterator[Any]:
    """A connection like that of `connect`, until the block ends."""
    client = connect(socket, name, **given)
    try:
        yield client
    finally:
        client.disconnect()
