"""A smart plug that speaks its vendor's API over HTTP on loopback, and counts requests."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

REALM, NONCE = "shellyplugsg3-aabbcc", "60dc59c6"


def shelly_gen2(watts: float) -> dict[str, Any]:
    """Reply to Switch.GetStatus as documented."""
    return {
        **{"id": 0, "source": "HTTP", "output": True, "apower": watts, "voltage": 232.0, "current": 0.2, "freq": 50.0},
        "aenergy": {"total": 5.125, "by_minute": [47.342, 0.0, 0.0], "minute_ts": 1675718520},
        "temperature": {"tC": 25.3, "tF": 77.5},
    }


def shelly_gen1(watts: float) -> dict[str, Any]:
    return {"power": watts, "is_valid": True, "timestamp": 1675718520, "counters": [1.0, 2.0, 3.0], "total": 1234}


def tasmota(watts: float) -> dict[str, Any]:
    energy = {"Total": 1.234, "Power": watts, "ApparentPower": 25, "Factor": 0.76, "Voltage": 231, "Current": 0.108}
    return {"StatusSNS": {"Time": "2026-01-01T00:00:00", "ENERGY": energy}}


class FakePlug:
    """Runs from entry to exit. `kind` is shelly2, shelly-pm, shelly1 or tasmota; with `password` it requires that
    password (of user admin). `watts` may be changed; None: the plug has lost its meter. `gone`: it closes each
    connection.
    """

    def __init__(self, kind: str, watts: float | None = 19.0, password: str = "") -> None:
        self.kind, self.watts, self.password = kind, watts, password
        self.asked: list[str] = []
        self.gone = False
        plug = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                plug.asked.append(self.path)
                if plug.gone:
                    self.close_connection = True
                    return
                status, headers, document = plug.answer(self.path, self.headers.get("Authorization", ""))
                body = json.dumps(document).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str, proof: str) -> tuple[int, dict[str, str], Any]:
        where, asked = urlsplit(path), parse_qs(urlsplit(path).query)
        if self.password and self.kind == "tasmota":
            if (asked.get("user"), asked.get("password")) != (["admin"], [self.password]):
                return 200, {}, {"WARNING": "Need user=<username>&password=<password>"}
        elif self.password and self.kind == "shelly1":
            if proof != "Basic YWRtaW46c2VjcmV0":  # admin:secret
                return 401, {"WWW-Authenticate": 'Basic realm="login"'}, None
        elif self.password and not self._is_proven(path, proof):
            return (
                401,
                {"WWW-Authenticate": f'Digest qop="auth", realm="{REALM}", nonce="{NONCE}", algorithm=SHA-256'},
                None,
            )
        return self._of_kind(where.path, asked)

    def _of_kind(self, path: str, asked: dict[str, list[str]]) -> tuple[int, dict[str, str], Any]:
        watts = self.watts
        match self.kind, path:
            case ("shelly2", "/rpc/Switch.GetStatus") | ("shelly-pm", "/rpc/PM1.GetStatus"):
                return 200, {}, shelly_gen2(watts) if watts is not None else {"id": 0, "output": True}
            case "shelly1", "/meter/0":
                return 200, {}, shelly_gen1(watts or 0.0) | {"is_valid": watts is not None}
            case "tasmota", "/cm" if asked.get("cmnd") == ["Status 8"] and watts is not None:
                return 200, {}, tasmota(watts)
            case "tasmota", "/cm":
                return 200, {}, {"StatusSNS": {"Time": "2026-01-01T00:00:00"}}
        return 404, {}, {"code": 404, "message": "No handler"}

    def _is_proven(self, path: str, proof: str) -> bool:
        """True if the digest of RFC 7616 in the request is right."""
        said = dict(re.findall(r'(\w+)="?([^",]*)"?', proof))

        def hashed(*parts: str) -> str:
            return hashlib.sha256(":".join(parts).encode()).hexdigest()

        who, what = hashed("admin", REALM, self.password), hashed("GET", path)
        wanted = hashed(who, NONCE, said.get("nc", ""), said.get("cnonce", ""), "auth", what)
        return said.get("response") == wanted and said.get("uri") == path
