"""The model's REST API over HTTP or HTTPS, in a separate thread next to the generator's RPC."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from wirespeed.errors import EnvironmentFault, UsageError, WirespeedError
from wirespeed.otg.engine import HEARTBEAT_S, Engine
from wirespeed.otg.faults import ModelFault
from wirespeed.serving.guard import Guard
from wirespeed.serving.http import HttpServer, listening

MOST_BODY_BYTES = 4 << 20
_GIVE_UP_BYTES = 64 << 20
VERSION = {"api_spec_version": ">=1.0.0,<2.0.0", "sdk_version": ">=1.0.0,<2.0.0", "app_version": "wirespeed"}
"""Clients read the first as a range that their own version must be in."""

_NOT_HERE = ("/config/append", "/config/delete", "/control/action")


def application(engine: Engine, host: str) -> ASGIApp:
    def changes(act: Callable[[Any], list[str]]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            return JSONResponse({"warnings": await run_in_threadpool(act, await _body(request))})

        return endpoint

    def tells(ask: Callable[[Any], Any]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            return JSONResponse(await run_in_threadpool(ask, await _body(request)))

        return endpoint

    async def config(_: Request) -> Response:
        return JSONResponse(engine.given)

    async def capture(request: Request) -> Response:
        file = await run_in_threadpool(engine.capture, await _body(request))
        return Response(file, media_type="application/octet-stream")

    async def version(_: Request) -> Response:
        return JSONResponse(VERSION)

    async def not_here(request: Request) -> Response:
        return _error(501, "validation", f"{request.method} {request.url.path} is not supported by this generator")

    routes = [
        Route("/config", config, methods=["GET"]),
        Route("/config", changes(engine.configure), methods=["POST"]),
        Route("/config", changes(engine.update), methods=["PATCH"]),
        Route("/control/state", changes(engine.control), methods=["POST"]),
        Route("/monitor/metrics", tells(engine.metrics), methods=["POST"]),
        Route("/monitor/states", tells(engine.states), methods=["POST"]),
        Route("/monitor/capture", capture, methods=["POST"]),
        Route("/capabilities/version", version, methods=["GET"]),
        *(Route(path, not_here, methods=["POST", "PATCH"]) for path in _NOT_HERE),
    ]
    app = Starlette(
        routes=routes,
        lifespan=lambda _: _heartbeat(engine),
        exception_handlers={WirespeedError: _refused, ClientDisconnect: _gone, HTTPException: _no_such},
    )
    return Guard(app, host, lambda status, reason: _error(status, "validation", reason), ("GET", "PATCH", "POST"))


async def _body(request: Request) -> Any:
    """The JSON of a request. Of a body that is too long the rest is read too, or its sender would see no answer."""
    text, length = bytearray(), 0
    async for chunk in request.stream():
        length += len(chunk)
        if length <= MOST_BODY_BYTES:
            text += chunk
        elif length > _GIVE_UP_BYTES:
            break
    if length > MOST_BODY_BYTES:
        raise ModelFault("", f"the body is longer than {MOST_BODY_BYTES} bytes")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFault("", f"the body is not JSON: {str(error)[:100]}") from None


async def _refused(_: Request, error: Exception) -> Response:
    if isinstance(error, ModelFault):
        return _error(400, "validation", str(error))
    return _error(500, "internal", str(error))


async def _gone(_: Request, error: Exception) -> Response:
    return _error(400, "validation", f"the request ended before its body did {error}".strip())


async def _no_such(request: Request, error: Exception) -> Response:
    code = error.status_code if isinstance(error, HTTPException) else 404
    return _error(code, "validation", f"{request.method} {request.url.path} is nothing that the API has")


def _error(code: int, kind: str, text: str) -> JSONResponse:
    return JSONResponse({"code": code, "kind": kind, "errors": [text]}, status_code=code)


@contextlib.asynccontextmanager
async def _heartbeat(engine: Engine) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            with contextlib.suppress(WirespeedError):
                await run_in_threadpool(engine.beat)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()


def parse_address(text: str) -> tuple[str, int]:
    """HOST:PORT."""
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise UsageError(f"--otg {text!r} cannot be used; give HOST:PORT with a port from 1 to 65535")
    return host.strip("[]"), int(port)


class OtgService:
    """Listens from the beginning; EnvironmentFault when the address cannot be had."""

    def __init__(self, address: str, certificate: Path | None = None) -> None:
        host, port = parse_address(address)
        self.host = host
        self.url = f"{'https' if certificate else 'http'}://{address}"
        self._certificate = certificate
        if certificate is not None and not certificate.is_file():
            raise UsageError(f"--otg-cert {str(certificate)!r} is not a file; give a PEM file with certificate and key")
        try:
            self._socket = listening(host, port)
        except OSError as error:
            raise EnvironmentFault(
                f"--otg {address} cannot be opened: {error.strerror or error}; give another HOST:PORT"
            ) from None

    @contextmanager
    def serving(self, rpc: str) -> Iterator[None]:
        """Serve in a thread, as a client of the RPC at `rpc`, which must be served at the same time."""
        engine = Engine(rpc)
        server = HttpServer(application(engine, self.host), "OTG API", lifespan=True, certificate=self._certificate)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [self._socket]}, name="otg", daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join(5)
            engine.close()
            self._socket.close()
