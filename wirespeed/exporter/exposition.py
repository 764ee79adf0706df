"""All targets asked at once, and their metrics served over HTTP or HTTPS with prometheus_client."""

from __future__ import annotations

import base64
import hmac
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import Metric
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.registry import Collector

from wirespeed import __version__
from wirespeed.errors import EnvironmentFault, FileFault
from wirespeed.exporter.target import Target, Watched
from wirespeed.exporter.told import Told, metrics

_CLIENT_S = 10.0
"""A client that says nothing for so long is let go."""


class Targets(Collector):
    """Asks all targets at the same time, each for at most `patience_s`."""

    def __init__(self, targets: Sequence[Target], patience_s: float) -> None:
        self._watched = [Watched(target) for target in targets]
        self._patience_s = patience_s
        self._one_at_a_time = threading.Lock()

    def collect(self) -> Iterator[Metric]:
        with self._one_at_a_time:
            for one in self._watched:
                one.begin()
            told = [one.end(self._patience_s) for one in self._watched]
        own = Told()
        own.add("exporter_build_info", [((__version__,), 1)])
        yield from metrics([own, *told])

    def describe(self) -> Iterable[Metric]:
        """Nothing: asked for at registration, when no target need be up."""
        return ()


@dataclass(frozen=True)
class Listening:
    """`credentials` are USER:PASSWORD, empty for none; certificate and key are PEM files, None without TLS."""

    host: str = "127.0.0.1"
    port: int = 0
    credentials: str = ""
    certificate: Path | None = None
    key: Path | None = None


@contextmanager
def served(targets: Targets, listening: Listening) -> Iterator[int]:
    """Serve until the block ends; gives the port. EnvironmentFault when it cannot be had, FileFault for a certificate
    that is none."""
    registry = CollectorRegistry()
    registry.register(targets)
    app = make_wsgi_app(registry)
    where = f"{listening.host}:{listening.port}"
    context = _context(listening)
    try:
        family = socket.getaddrinfo(listening.host, listening.port, type=socket.SOCK_STREAM)[0][0]

        class Server(ThreadingWSGIServer):
            address_family = family

        server = make_server(
            listening.host, listening.port, _only_metrics(_guarded(app, listening.credentials)), Server, _Handler
        )
    except OSError as error:
        raise EnvironmentFault(f"{where} cannot be listened at ({error.strerror or error}); give --listen") from None
    if context is not None:
        # Hands are shaken when the first byte is read, by the client's own thread: a silent one holds up nobody.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, name="server", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


class _Handler(WSGIRequestHandler):
    timeout = _CLIENT_S

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a line a scrape is no news."""


def _context(listening: Listening) -> ssl.SSLContext | None:
    if listening.certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(listening.certificate, listening.key)
    except (OSError, ssl.SSLError) as error:
        why = error.strerror or error
        raise FileFault(f"{listening.certificate} and its key are no certificate to serve with: {why}") from None
    return context


_App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def _guarded(app: _App, credentials: str) -> _App:
    if not credentials:
        return app
    wanted = b"Basic " + base64.b64encode(credentials.encode())

    def guarded(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        given = str(environ.get("HTTP_AUTHORIZATION", "")).encode(errors="replace")
        if hmac.compare_digest(given, wanted):
            return app(environ, start_response)
        head = [("WWW-Authenticate", 'Basic realm="wirespeed exporter"'), ("Content-Type", "text/plain")]
        start_response("401 Unauthorized", head)
        return [b"user and password, please\n"]

    return guarded


def _only_metrics(app: _App) -> _App:
    def routed(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("PATH_INFO") in ("/", "/metrics"):
            return app(environ, start_response)
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [b"/metrics\n"]

    return routed
