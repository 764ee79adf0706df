"""Access check of every HTTP server of this program.

A web page of another site can send requests to loopback: without a preflight where the body is plain text, and with
answers that it can read where a name of its own is pointed here (DNS rebinding). Therefore a request needs a Host of
this machine, an Origin that is that Host or none, and, where it has a body, a content type that no page can send
without a preflight.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Collection

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from wirespeed.serving.loopback import is_loopback

JSON = "application/json"
_WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")


class Guard:
    """Passes on to `app` what a program or page of this machine may ask at `host`, the address that is listened on.

    `methods` are those that `app` serves. `refuse` makes the answer to all other requests from a status and a reason.
    """

    def __init__(
        self, app: ASGIApp, host: str, refuse: Callable[[int, str], Response], methods: Collection[str]
    ) -> None:
        self._app, self._host, self._refuse, self._methods = app, host, refuse, frozenset(methods)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or not is_served(hosts[0], self._host):
            return self._refuse(421, f"nothing is served under the name {_quoted(hosts)}; use the address itself")
        # A browser says where a page comes from; programs that are not browsers say nothing.
        if any(origin.partition("://")[2].lower() != hosts[0].lower() for origin in origins):
            return self._refuse(403, f"requests of pages from {_quoted(origins)} are not answered")
        method = str(scope["method"])
        if method not in self._methods:
            refusal = self._refuse(405, f"{method} is not answered; use {', '.join(sorted(self._methods))}")
            refusal.headers["Allow"] = ", ".join(sorted(self._methods))
            return refusal
        types = [value.partition(";")[0].strip().lower() for value in _values(scope, b"content-type")]
        if method in _WITH_BODY and types != [JSON]:
            return self._refuse(415, f"the content type is {_quoted(types)}; send JSON as Content-Type: {JSON}")
        return None


def is_served(host: str, listening: str) -> bool:
    """True if a Host header names a server that listens at the address or name `listening`.

    Names and loopback addresses of this machine are accepted; also any address, if the server can be reached from
    outside. A name that somebody else points to this machine is not accepted."""
    name = _without_port(host).strip("[]").lower()
    if name in ("localhost", listening.strip("[]").lower(), socket.gethostname().lower(), socket.getfqdn().lower()):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or not is_loopback(listening)


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if port.isdigit() and not name.endswith(":") and not host.endswith("]") else host


def _values(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == wanted]


def _quoted(values: list[str]) -> str:
    return ", ".join(repr(value[:80]) for value in values) or "''"
