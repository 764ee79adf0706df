"""All targets asked at once, and their metrics served over HTTP or HTTPS with prometheus_client."""

from __future__ import annotations

import base64
import hmac
import ssl
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from wirespeed import __version__
from wirespeed.errors import EnvironmentFault, FileFault
from wirespeed.exporter.target import Target, Watched
from wirespeed.exporter.told import Told, metrics
from wirespeed.serving.guard import Guard
from wirespeed.serving.http import HttpServer, listening


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
def served(targets: Targets, listening_at: Listening) -> Iterator[int]:
    """Serve until the block ends; gives the port. EnvironmentFault when it cannot be had, FileFault for a certificate
    that cannot be read."""
    registry = CollectorRegistry()
    registry.register(targets)
    _check_certificate(listening_at)
    try:
        made = listening(listening_at.host, listening_at.port)
    except OSError as error:
        where = f"{listening_at.host}:{listening_at.port}"
        raise EnvironmentFault(f"{where} cannot be listened at ({error.strerror or error}); give --listen") from None
    with made:
        server = HttpServer(
            application(registry, listening_at),
            "exporter",
            certificate=listening_at.certificate,
            key=listening_at.key,
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [made]}, name="server", daemon=True)
        thread.start()
        try:
            yield made.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def application(registry: CollectorRegistry, listening_at: Listening) -> ASGIApp:
    """`/metrics`, and the same at `/`, for clients that know the credentials."""
    wanted = b"Basic " + base64.b64encode(listening_at.credentials.encode())

    async def metrics_of_all(request: Request) -> Response:
        given = request.headers.get("authorization", "").encode(errors="replace")
        if listening_at.credentials and not hmac.compare_digest(given, wanted):
            refusal = _refuse(401, "give user and password")
            refusal.headers["WWW-Authenticate"] = 'Basic realm="wirespeed exporter"'
            return refusal
        chosen = request.query_params.getlist("name[]")
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        text = await run_in_threadpool(encode, registry.restricted_registry(chosen) if chosen else registry)
        return Response(text, headers={"Content-Type": media_type})

    app = Starlette(
        routes=[Route("/", metrics_of_all), Route("/metrics", metrics_of_all)],
        middleware=[Middleware(GZipMiddleware)],
        exception_handlers={HTTPException: _no_such},
    )
    return Guard(app, listening_at.host, _refuse, ("GET", "HEAD"))


def _refuse(status: int, reason: str) -> Response:
    return PlainTextResponse(f"{reason}\n", status)


async def _no_such(request: Request, error: Exception) -> Response:
    return _refuse(404, f"{request.url.path} is not served; use /metrics")


def _check_certificate(listening_at: Listening) -> None:
    if listening_at.certificate is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(listening_at.certificate, listening_at.key)
    except (OSError, ssl.SSLError) as error:
        why = error.strerror or error
        raise FileFault(f"{listening_at.certificate} and its key are no certificate to serve with: {why}") from None
