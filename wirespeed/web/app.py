"""The pages and the stream of events, as an ASGI application that only ever reads.

    /               the tests of the folders, those that run first
    /live           the one that runs now, and the next one
    /test/ID        one test
    /report/ID      its report
    /machine/ID     a router or a generator, while somebody looks
    /events[/ID]    server-sent events: `head`, `frames`, `state`, and `over` when the server ends; ids are
                    EPOCH:FRAMES, so that a client that comes back gets what it lacks
    /static/NAME    the page's own script and style, and the charts' library

With a token all of it lies below /TOKEN/. Links are relative, so nothing else needs to know.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from hmac import compare_digest
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from wirespeed.charts import browser, dygraphs
from wirespeed.charts.chart import ALONE_DASH, DIRECTION_DASHES
from wirespeed.charts.colours import COLOURS, MARKS, NODE_COLOURS, REFERENCE
from wirespeed.errors import WirespeedError
from wirespeed.exporter.target import Target
from wirespeed.pages.templates import environment, style, text_of, wide_tables
from wirespeed.pages.trust import MEANINGS
from wirespeed.report.page import POLICY as REPORT_POLICY
from wirespeed.report.render import render
from wirespeed.serving.guard import Guard
from wirespeed.web.folder import Folder, ListedTest
from wirespeed.web.followed import Followed
from wirespeed.web.machine import FollowedMachine

PAGE = 50
"""Tests of one page of the list."""
_POLL_S = 0.5
_COMMENT_S = 10.0
"""Minimum interval of messages, so that a lost connection is detected."""
_MOST_FRAMES = 2000
"""Most frames of one event."""
_MOST_FOLLOWED = 64

# The charts' library writes style attributes, and no style elements.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_LOOKS = json.dumps(
    {
        "colours": COLOURS,
        "marks": MARKS,
        "classes": NODE_COLOURS,
        "dashes": DIRECTION_DASHES,
        "alone": ALONE_DASH,
        "grey": REFERENCE,
    }
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATIC: dict[str, tuple[str, Callable[[], str]]] = {
    "page.css": ("text/css", style),
    "web.css": ("text/css", lambda: text_of("wirespeed.web", "static/web.css")),
    **{
        name: ("text/javascript", partial(text_of, "wirespeed.web", f"static/{name}"))
        for name in ("live_words.js", "live_charts.js", "live.js")
    },
    "wide_tables.js": ("text/javascript", lambda: f"{wide_tables()}WideTables.watch(document);\n"),
    "charts.css": ("text/css", browser.style),
    "charts.js": ("text/javascript", browser.script),
    "dygraph.js": ("text/javascript", dygraphs.script),
    "dygraph.css": ("text/css", dygraphs.style),
}


@dataclass(frozen=True)
class Where:
    """Address of the page. Beyond loopback it has a token."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""


@dataclass
class Audience:
    """Pages that are open, by their event streams, and whether they are told that the server `ends`."""

    pages: int = 0
    ends: Callable[[], bool] = lambda: False


def application(
    places: Sequence[Path], where: Where, targets: Sequence[Target] = (), audience: Audience | None = None
) -> ASGIApp:
    pages = _Pages(Folder(places), [FollowedMachine(target) for target in targets], audience or Audience())
    routes = [
        Route("/", pages.home),
        Route("/live", pages.live),
        Route("/test/{id}", pages.test),
        Route("/report/{id}", pages.report),
        Route("/machine/{id}", pages.machine),
        Route("/events", pages.events),
        Route("/events/{id}", pages.events),
        Route("/static/{name}", _static),
    ]
    app = Starlette(routes=[Mount("/", routes=routes)])
    return Guard(_BelowToken(app, where.token), where.host, _refuse, ("GET", "HEAD"))


class _BelowToken:
    """Serves `app` below /TOKEN/; without a token at /."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._token and scope["type"] == "http":
            path = str(scope["path"])
            given = path.partition("/")[2].partition("/")[0]
            if not compare_digest(given.encode(), self._token.encode()):
                await _refuse(404, "not found; the address has a token in it")(scope, receive, send)
                return
            scope = {**scope, "path": path[len(self._token) + 1 :] or "/"}
        await self._app(scope, receive, send)


def _refuse(status: int, reason: str) -> Response:
    return PlainTextResponse(f"{reason}\n", status, headers=_HEADERS)


class _Pages:
    def __init__(self, folder: Folder, machines: Sequence[FollowedMachine], audience: Audience) -> None:
        self._folder = folder
        self._audience = audience
        self._machines = {machine.id: machine for machine in machines}
        self._followed: dict[str, Followed | FollowedMachine] = {}
        self._looks: dict[str, asyncio.Lock] = {}
        self._looked_s: dict[str, float] = {}

    async def home(self, request: Request) -> Response:
        wanted = request.query_params.get("q", "")
        tests = await run_in_threadpool(lambda: self._folder.tests)
        chosen = [test for test in tests if all(word in test.name.lower() for word in wanted.lower().split())]
        number = _page(request.query_params.get("page", "1"), len(chosen))
        shown = chosen[(number - 1) * PAGE : number * PAGE]
        told = await run_in_threadpool(lambda: [test.row for test in shown])
        rows = [(test, row.started or _when(test), row) for test, row in zip(shown, told, strict=True)]
        pages = max(1, math.ceil(len(chosen) / PAGE))
        marks = [row.trust for row in told if row.trust is not None]
        return _html(
            "list.html",
            rows=rows,
            total=len(tests),
            running=sum(test.running for test in tests),
            found=len(chosen),
            wanted=wanted,
            number=number,
            pages=pages,
            machines=list(self._machines.values()),
            legend=[one for one in MEANINGS if one.why and any(one.word in mark.word for mark in marks)],
        )

    async def live(self, request: Request) -> Response:
        return _html("live.html", root="", events="events", name="", of_test=True)

    async def machine(self, request: Request) -> Response:
        machine = self._machines.get(request.path_params["id"])
        if machine is None:
            return _missing("router or generator")
        return _html("live.html", root="../", events=f"../events/{machine.id}", name=machine.name, of_test=False)

    async def test(self, request: Request) -> Response:
        test = await run_in_threadpool(self._folder.find, request.path_params["id"])
        if test is None:
            return _missing()
        return _html("live.html", root="../", events=f"../events/{test.id}", name=test.name, of_test=True)

    async def report(self, request: Request) -> Response:
        test = await run_in_threadpool(self._folder.find, request.path_params["id"])
        if test is None:
            return _missing()
        try:
            date = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
            page = await run_in_threadpool(render, [test.file], title=test.name, date=date)
        except WirespeedError as error:
            response = _html("fault.html", name=test.name, fault=str(error))
            response.status_code = 422
            return response
        return HTMLResponse(page.text, headers={**_HEADERS, "Content-Security-Policy": REPORT_POLICY})

    async def events(self, request: Request) -> Response:
        wanted = request.path_params.get("id")
        if wanted is not None and await self._find(wanted) is None:
            return _missing()
        has = request.headers.get("last-event-id", "")
        return StreamingResponse(self._attended(wanted, has), media_type="text/event-stream", headers=_HEADERS)

    async def _attended(self, wanted: str | None, has: str) -> AsyncIterator[str]:
        self._audience.pages += 1
        try:
            async for event in self._stream(wanted, has):
                yield event
        finally:
            self._audience.pages -= 1

    async def _stream(self, wanted: str | None, has: str) -> AsyncIterator[str]:
        """New frames, as they arrive. Each connection stores only the last message sent to it, so a browser that does
        not read delays nobody else."""
        shown, sent, head, state, silent_s = "", _position(has), None, None, 0.0
        yield "retry: 1000\n\n"
        while True:
            ends = self._audience.ends()
            test = await self._find(wanted) if wanted else self._folder.current()
            if test is not None:
                followed = await self._look(test)
                silent_s += _POLL_S
                if test.id != shown:
                    # Who comes back to the same test goes on; another one begins anew.
                    sent = sent if (shown == "" and sent[0] == _key(test, followed)) else (_key(test, followed), 0)
                    shown, head, state = test.id, None, None
                key = _key(test, followed)
                if key != sent[0]:
                    sent, head = (key, 0), None
                if followed.head and head != followed.head:
                    head = dict(followed.head)
                    yield _event("head", {**head, "id": test.id, "fresh": sent[1] == 0})
                    silent_s = 0.0
                while sent[1] < len(followed.frames):
                    some = followed.frames[sent[1] : sent[1] + _MOST_FRAMES]
                    sent = (key, sent[1] + len(some))
                    yield _event("frames", some, f"{key}:{sent[1]}")
                    silent_s = 0.0
                now = {
                    "running": followed.running,
                    "status": followed.status,
                    "verdicts": list(followed.verdicts),
                    "figures": list(followed.figures),
                    "fault": followed.fault,
                }
                if now != state:
                    state = now
                    yield _event("state", now)
                    silent_s = 0.0
            if ends:
                file = str(test.file) if isinstance(test, ListedTest) and test.file.exists() else ""
                yield _event("over", {"file": file})
                return
            if silent_s >= _COMMENT_S or test is None:
                yield ": nothing new\n\n"
                silent_s = 0.0
            await asyncio.sleep(_POLL_S)

    async def _find(self, wanted: str) -> ListedTest | FollowedMachine | None:
        return self._machines.get(wanted) or await run_in_threadpool(self._folder.find, wanted)

    async def _look(self, test: ListedTest | FollowedMachine) -> Followed | FollowedMachine:
        """One follower a test, however many watch it, and no look twice within the same half second."""
        lock = self._looks.setdefault(test.id, asyncio.Lock())
        async with lock:
            followed = self._followed.get(test.id)
            if followed is None:
                if len(self._followed) >= _MOST_FOLLOWED:
                    oldest = next(iter(self._followed))
                    self._followed.pop(oldest)
                    self._looks.pop(oldest, None)
                    self._looked_s.pop(oldest, None)
                followed = self._followed[test.id] = test if isinstance(test, FollowedMachine) else Followed(test.file)
            now_s = asyncio.get_running_loop().time()
            if now_s - self._looked_s.get(test.id, -math.inf) >= 0.9 * _POLL_S:
                self._looked_s[test.id] = now_s
                await run_in_threadpool(followed.look)
            return followed


def _key(test: ListedTest | FollowedMachine, followed: Followed | FollowedMachine) -> str:
    return f"{test.id}.{followed.epoch}"


def _position(last_event_id: str) -> tuple[str, int]:
    """Position of a returning browser in the stream; the beginning if its id is not valid."""
    key, _, number = last_event_id.rpartition(":")
    return (key, int(number)) if number.isascii() and number.isdigit() and len(number) < 10 else ("", 0)


def _event(name: str, data: Any, number: str = "") -> str:
    text = json.dumps(data, ensure_ascii=True, allow_nan=False)
    return f"event: {name}\n{f'id: {number}' + chr(10) if number else ''}data: {text}\n\n"


def _page(text: str, found: int) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 1
    return min(max(1, number), max(1, math.ceil(found / PAGE)))


def _when(test: ListedTest) -> str:
    return f"{datetime.fromtimestamp(test.changed_s, UTC):%Y-%m-%d %H:%M:%S}" if test.changed_s else "not yet"


@cache
def _templates() -> Environment:
    return environment("wirespeed.web")


def _html(template: str, **values: Any) -> HTMLResponse:
    text = _templates().get_template(template).render(has_charts=dygraphs.is_there(), looks=_LOOKS, **values)
    return HTMLResponse(text.encode(errors="replace"), headers={**_HEADERS, "Content-Security-Policy": _POLICY})


def _missing(what: str = "test") -> Response:
    return PlainTextResponse(f"there is no such {what}\n", 404, headers=_HEADERS)


async def _static(request: Request) -> Response:
    asset = _STATIC.get(request.path_params["name"])
    if asset is None:
        return PlainTextResponse("not found\n", 404, headers=_HEADERS)
    try:
        return Response(asset[1](), media_type=asset[0], headers=_HEADERS)
    except OSError:
        return PlainTextResponse(f"{dygraphs.PACKAGE} is not installed here\n", 404, headers=_HEADERS)
