"""A client of the live page's event stream that works like a browser: line by line, with the id of the last event."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

Event = tuple[str, Any, str]


class Events:
    """A context manager; iterate over (name, data, id) as events arrive. TimeoutError after `patience_s`
    without data.
    """

    def __init__(self, address: str, last_id: str = "", patience_s: float = 60.0) -> None:
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=patience_s)
        self._connection.request("GET", parts.path, headers={"Last-Event-ID": last_id} if last_id else {})
        self.response = self._connection.getresponse()

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.response.close()
        self._connection.close()

    def __iter__(self) -> Iterator[Event]:
        found: dict[str, str] = {}
        for raw in self.response:
            line = raw.decode().rstrip("\n")
            if line:
                key, _, value = line.partition(": ")
                found[key] = value
            elif "data" in found:
                yield found.get("event", ""), json.loads(found["data"]), found.get("id", "")
                found = {}
            else:
                found = {}

    def until(self, name: str) -> Event:
        """The next event of that name."""
        return next(event for event in self if event[0] == name)
