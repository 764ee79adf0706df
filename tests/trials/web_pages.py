"""Pages of another site in a real browser attack every HTTP server of wirespeed: they start nothing
and read nothing.
"""

from __future__ import annotations

import itertools
import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from headless import CHROMEDRIVER, CHROMIUM, EVIL, headless

from trials.held_connections import servers
from trials.started import connected
from trials.trial import Ground, Skipped, trial, until

FLOW = {
    "name": "f",
    "tx_rx": {"choice": "port", "port": {"tx_name": "a", "rx_names": ["b"]}},
    "packet": [
        {
            "choice": "ethernet",
            "ethernet": {
                "dst": {"choice": "value", "value": "00:00:00:00:00:01"},
                "src": {"choice": "value", "value": "00:00:00:00:00:02"},
            },
        }
    ],
    "rate": {"choice": "pps", "pps": "1000"},
}
CONFIG = {"ports": [{"name": "a", "location": "0"}, {"name": "b", "location": "1"}], "flows": [FLOW]}
START = {"choice": "traffic", "traffic": {"choice": "flow_transmit", "flow_transmit": {"state": "start"}}}
# A request from a page: its outcome, and the readable part of the answer.
REQUEST = """
const [way, url, method, mode, type, body, done] = arguments;
const shown = (answer) => answer.text().then((text) => done([answer.type + " " + answer.status, text]));
if (way === "beacon") {
    done([String(navigator.sendBeacon(url, new Blob([body], {type}))), ""]);
} else if (way === "form") {
    const frame = document.createElement("iframe");
    frame.name = "f" + Math.random();
    frame.onload = () => done(["sent", ""]);
    document.body.append(frame);
    const form = document.createElement("form");
    Object.assign(form, {action: url, method: "POST", enctype: "text/plain", target: frame.name});
    const cut = body.length - 1;
    form.append(Object.assign(document.createElement("input"), {name: body.slice(0, cut) + ',"x":"', value: '"}'}));
    document.body.append(form);
    form.submit();
} else {
    const body_of = method === "GET" ? undefined : new Blob([body], {type});
    fetch(url, {method, mode, body: body_of}).then(shown).catch((error) => done([String(error), ""]));
}
"""
TYPES = ("text/plain", "application/x-www-form-urlencoded", "", "application/json")
MODES = ("no-cors", "cors")


class _Site(BaseHTTPRequestHandler):
    """The attacker's page, which is empty: the driver runs its scripts in it."""

    def do_GET(self) -> None:
        text = b"<!doctype html><title>evil</title><body></body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def evil_site() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        try:
            yield site.server_address[1]
        finally:
            site.shutdown()
            thread.join()


class Page:
    """A page at an address; `send` lets it send a request."""

    def __init__(self, browser: Any, url: str) -> None:
        browser.get(url)
        self._browser = browser

    def send(self, way: str, url: str, method: str, mode: str, kind: str, body: object) -> tuple[str, str]:
        done, read = self._browser.execute_async_script(REQUEST, way, url, method, mode, kind, json.dumps(body))
        return str(done), str(read)


@trial("web-pages", "pages of another site in Chromium: no request of theirs starts traffic, no answer is read")
def web_pages(ground: Ground) -> None:
    if not (CHROMIUM and CHROMEDRIVER):
        raise Skipped("apt-get install chromium chromium-driver")
    with ExitStack() as undo:
        there = {server.name: server for server in undo.enter_context(servers(ground))}
        at = {name: f"127.0.0.1:{place[1]}" for name, one in there.items() if isinstance(place := one.place, tuple)}
        site = undo.enter_context(evil_site())
        profile = ground.new_directory("profile")
        browser = undo.enter_context(headless(profile))
        browser.set_script_timeout(60)
        evil = Page(browser, f"http://{EVIL}:{site}/")
        asked = foreign(ground, evil, at)
        for name in ("OTG", "exporter", "live page"):
            asked += rebound(ground, browser, at[name])
        if configuration(at["OTG"]) != {} or packets_sent():
            ground.fault(f"a page of {EVIL} changed the generator: {packets_sent()} packets were sent")
        # The same requests from a page of the server itself, which are allowed: so the requests above were real
        # attacks.
        own = Page(browser, f"http://{at['OTG']}/config")
        answers = [own.send("fetch", *one) for one in start_requests("", "cors", "application/json")]
        if not until(lambda: packets_sent() > 0):
            ground.fault(f"the server's own page could not start traffic: {answers}")
        ground.figures["requests"] = str(asked)


def start_requests(at: str, mode: str, kind: str) -> list[tuple[str, str, str, str, object]]:
    """The two requests that start traffic: a configuration, and its start."""
    return [
        (f"{at}{path}", "POST", mode, kind, body) for path, body in (("/config", CONFIG), ("/control/state", START))
    ]


def foreign(ground: Ground, page: Page, at: dict[str, str]) -> int:
    """Requests from a page of another site, in random order; returns their number."""
    requests: list[tuple[str, str, str, str, str, object]] = []
    for mode, kind in itertools.product(MODES, TYPES):
        requests += [("fetch", *one) for one in start_requests(f"http://{at['OTG']}", mode, kind)]
    for way, kind in itertools.product(("beacon", "form"), TYPES):
        requests += [(way, *one) for one in start_requests(f"http://{at['OTG']}", "", kind)]
    for name, path in (("OTG", "/config"), ("exporter", "/metrics"), ("live page", "/"), ("RPC", "/")):
        requests += [("fetch", f"http://{at[name]}{path}", "GET", mode, "", "") for mode in MODES]
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
    requests.append(("fetch", f"http://{at['RPC']}/", "POST", "no-cors", "text/plain", ping))
    rounds = ground.times(5, 1)
    for _ in range(rounds):
        ground.random.shuffle(requests)
        for request in requests:
            done, read = page.send(*request)
            if read:
                ground.fault(f"{EVIL} read {read[:80]!r} by {request[:5]}: {done}")
    return rounds * len(requests)


def rebound(ground: Ground, browser: Any, at: str) -> int:
    """Requests from a page whose name resolves to the server, so that the browser takes them as same-origin."""
    port = at.rpartition(":")[2]
    page = Page(browser, f"http://{EVIL}:{port}/")
    requests = [("fetch", path, "GET", "same-origin", "", "") for path in ("/config", "/metrics", "/")]
    requests += [("fetch", *one) for one in start_requests("", "same-origin", "application/json")]
    for request in requests:
        done, read = page.send(*request)
        if done != "basic 421":
            ground.fault(f"{EVIL}:{port}, rebound, was answered {done} by {request[:5]}: {read[:80]!r}")
    return len(requests)


def configuration(otg: str) -> Any:
    with urllib.request.urlopen(f"http://{otg}/config", timeout=60) as answer:
        return json.load(answer)


def packets_sent() -> int:
    with connected() as client:
        return sum(int(client.call("get_port_stats", port_id=port)["opackets"]) for port in (0, 1))
