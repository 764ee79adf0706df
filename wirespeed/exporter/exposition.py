"""A page of what all targets told, served over HTTP or HTTPS."""

from __future__ import annotations

import base64
import hmac
import ssl
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.exposition import choose_encoder
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
from wirespeed.exporter.target import WAIT_S, Target, Watched
from wirespeed.exporter.text import Encode, MetricsText, joined
from wirespeed.exporter.told import TargetValues
from wirespeed.serving.guard import Guard
from wirespeed.serving.http import HttpServer, listening


class Targets:
    """Has all targets asked, each by its own thread. One without an answer for `patience_s` is down."""

    def __init__(self, targets: Sequence[Target], patience_s: float) -> None:
        self._watched = [Watched(target, patience_s) for target in targets]
        for one in self._watched:
            one.ask()

    def page(self, media_type: str, encode: Encode, names: Collection[str] = (), wait_s: float = WAIT_S) -> bytes:
        """The latest metrics of all targets, as text, after waiting up to `wait_s` for those being read. With `names`,
        only samples with these names."""
        for watched in self._watched:
            watched.expect(media_type, encode)
            watched.ask()
        own, texts, end_s = TargetValues(), [], time.monotonic() + wait_s
        own.add("exporter_build_info", [((__version__,), 1)])
        for watched in self._watched:
            answer, fault = watched.answer(max(0.0, end_s - time.monotonic()))
            labels = (watched.target.name, watched.target.kind)
            if answer is not None or fault is not None:
                own.add("up", [(labels, float(fault is None))])
            if answer is not None:
                own.add("target_age_seconds", [(labels, time.monotonic() - answer.asked_s)])
                own.add("scrape_duration_seconds", [(labels, answer.took_s)])
                own.add("target_restarts_total", [(labels, answer.restarts)])
                if fault is None:
                    texts.append(answer.text)
        every = [text.blocks(media_type, encode) for text in (MetricsText(own), *texts)]
        return joined(every, media_type.startswith("application/openmetrics-text"), names)


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
    _check_certificate(listening_at)
    try:
        made = listening(listening_at.host, listening_at.port)
    except OSError as error:
        where = f"{listening_at.host}:{listening_at.port}"
        raise EnvironmentFault(
            f"{where}: cannot listen ({error.strerror or error}); give another address with --listen"
        ) from None
    with made:
        server = HttpServer(
            application(targets, listening_at),
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


def application(targets: Targets, listening_at: Listening) -> ASGIApp:
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
        text = await run_in_threadpool(targets.page, media_type, encode, chosen)
        return Response(text, headers={"Content-Type": media_type})

    app = Starlette(
        routes=[Route("/", metrics_of_all), Route("/metrics", metrics_of_all)],
        middleware=[Middleware(GZipMiddleware, compresslevel=1)],
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
        raise FileFault(f"certificate {listening_at.certificate} or its key cannot be used: {why}") from None
