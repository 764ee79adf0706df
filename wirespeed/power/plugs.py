"""Plugs in the wall: Shelly of either generation, and Tasmota, asked over HTTP.

Shelly Gen2: https://shelly-api-docs.shelly.cloud/gen2 (RPC over HTTP, digest by SHA-256); Gen1: /meter/0 with basic
authentication. Tasmota: `Status 8` of its command interface.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import re
import secrets
from typing import Any
from urllib.parse import quote, unquote

from wirespeed.power.meter import WHOLE, MeterFault

PATIENCE_S = 3.0
_MOST_BYTES = 1 << 16
_HOST = re.compile(
    r"(?:(?P<user>[^:@]+):(?P<password>[^@]+)@)?(?P<host>[\w.-]+|\[[0-9a-fA-F:]+\])(?::(?P<port>\d{1,5}))?"
)


class Plug:
    """One address: `HOST[:PORT]`, with `USER:PASSWORD@` before it where it wants one. ValueError for another text."""

    def __init__(self, text: str) -> None:
        match = _HOST.fullmatch(text)
        if match is None:
            raise ValueError
        self.user, self.password = (None if part is None else unquote(part) for part in match.group("user", "password"))
        self.port = int(match["port"] or 80)
        self.host = match["host"].strip("[]")
        self.shown = match["host"] + (f":{match['port']}" if match["port"] else "")

    def get(self, path: str) -> tuple[int, Any]:
        """Status and JSON of an answer; None without JSON. Authenticates on request. MeterFault without an answer."""
        status, headers, body = self._request(path, {})
        if status == 401 and self.password is not None:
            status, _, body = self._request(path, {"Authorization": self._proof(path, headers)})
        if status == 401:
            raise MeterFault("it requires a password: give USER:PASSWORD@HOST")
        try:
            return status, json.loads(body)
        except ValueError:
            return status, None

    def _request(self, path: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("WWW-Authenticate", ""), answer.read(_MOST_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise MeterFault(f"no answer: {error or type(error).__name__}") from None
        finally:
            connection.close()

    def _proof(self, path: str, wanted: str) -> str:
        user, password = self.user or "", self.password or ""
        if not wanted.lower().startswith("digest"):
            return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"
        asked = dict(re.findall(r'(\w+)="?([^",]*)"?', wanted))

        def hashed(text: str) -> str:
            return hashlib.sha256(text.encode()).hexdigest()

        # RFC 7616, section 3.4, with qop=auth; the plug knows SHA-256 only.
        realm, nonce, ours = asked.get("realm", ""), asked.get("nonce", ""), secrets.token_hex(8)
        who, what = hashed(f"{user}:{realm}:{password}"), hashed(f"GET:{path}")
        response = hashed(f"{who}:{nonce}:00000001:{ours}:auth:{what}")
        return (
            f'Digest username="{user}", realm="{realm}", nonce="{nonce}", uri="{path}", algorithm=SHA-256, qop=auth, '
            f'nc=00000001, cnonce="{ours}", response="{response}"'
        )


class Shelly:
    """Requests the data of its generation, which is determined once, and again if the plug was replaced."""

    of = WHOLE
    _PATHS = (
        ("/rpc/Switch.GetStatus?id=0", ("apower",)),
        ("/rpc/PM1.GetStatus?id=0", ("apower",)),
        ("/meter/0", ("power",)),
        ("/status", ("meters", 0, "power")),
    )

    def __init__(self, plug: Plug) -> None:
        self._plug = plug
        self.name = f"shelly:{plug.shown}"
        self._known: tuple[str, tuple[str | int, ...]] | None = None

    def watts(self) -> float:
        for path, keys in (self._known,) if self._known else self._PATHS:
            status, answer = self._plug.get(path)
            if status == 200 and (watts := _at(answer, keys)) is not None:
                if isinstance(answer, dict) and answer.get("is_valid") is False:
                    raise MeterFault("it marks its reading as not valid")
                self._known = path, keys
                return watts
        self._known = None
        raise MeterFault("its answer is not that of a Shelly with a meter; check the address and the model")


class Tasmota:
    """Watts as whole numbers unless its WattRes says more: 5 % of a small router."""

    of = WHOLE

    def __init__(self, plug: Plug) -> None:
        self._plug = plug
        self.name = f"tasmota:{plug.shown}"
        self._who = f"user={quote(plug.user)}&password={quote(plug.password)}&" if plug.user and plug.password else ""

    def watts(self) -> float:
        for command in ("Status%208", "Status%2010"):
            _, answer = self._plug.get(f"/cm?{self._who}cmnd={command}")
            if isinstance(answer, dict) and "WARNING" in answer:
                raise MeterFault("it requires a password: give USER:PASSWORD@HOST")
            if (watts := _at(answer, ("StatusSNS", "ENERGY", "Power"))) is not None:
                return watts
        raise MeterFault("its answer is not that of a Tasmota with a meter; check the address and the model")


def _at(value: Any, keys: tuple[str | int, ...]) -> float | None:
    """The number below `keys`; None without one. For a list, as of a meter with several channels, their sum."""
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    numbers = value if isinstance(value, list) and value else [value]
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in numbers):
        return None
    return float(sum(numbers))
