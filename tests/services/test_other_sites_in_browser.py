"""A page of another site in Chromium attacks the OTG server: it must start no traffic and read no answer. An engine
behind the server records the requests that reach it. `make trials` has the same attack, and others, on a generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from harness.serving import served
from headless import EVIL, needs_chromium
from trials.web_pages import Page, evil_site, start_requests

from wirespeed.otg.engine import Engine
from wirespeed.otg.service import application
from wirespeed.serving.http import HttpServer


class Recorder:
    """Replaces an engine; `acts` are the names of the functions that requests called."""

    def __init__(self) -> None:
        self.acts: list[str] = []

    @property
    def given(self) -> dict[str, Any]:
        self.acts.append("given")
        return {}

    def beat(self) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[[Any], list[str]]:
        def act(_body: Any) -> list[str]:
            self.acts.append(name)
            return []

        return act


@contextmanager
def otg_server(recorder: Recorder) -> Iterator[int]:
    with served(HttpServer(application(cast(Engine, recorder), "127.0.0.1"), "OTG API", lifespan=True)) as port:
        yield port


@needs_chromium("the OTG server and pages of other sites")
def test_a_page_of_another_site_reaches_nothing_and_its_own_page_does(chromium: Any) -> None:
    recorder = Recorder()
    with otg_server(recorder) as port, evil_site() as site:
        server = f"http://127.0.0.1:{port}"
        evil = Page(chromium, f"http://{EVIL}:{site}/")
        for way, mode, kind in (
            ("fetch", "no-cors", "text/plain"),  # sent without a preflight
            ("fetch", "cors", "application/json"),  # the preflight is refused
            ("beacon", "", "text/plain"),
            ("form", "", ""),
        ):
            for request in start_requests(server, mode, kind):
                assert evil.send(way, *request)[1] == "", (way, mode, kind)
        assert evil.send("fetch", f"{server}/config", "GET", "cors", "", "")[1] == ""
        # DNS rebinding: the attacker's name resolves to the server, so that the browser takes both for one site.
        rebound = Page(chromium, f"http://{EVIL}:{port}/")
        for request in start_requests("", "same-origin", "application/json"):
            assert rebound.send("fetch", *request)[0] == "basic 421"
        assert recorder.acts == []
        own = Page(chromium, f"{server}/capabilities/version")
        for request in start_requests("", "same-origin", "application/json"):
            assert own.send("fetch", *request)[0] == "basic 200"
        assert recorder.acts == ["configure", "control"]
