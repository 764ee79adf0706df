"""Reads a server once a second for the live view, on a connection of its own that needs no ports."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from wirespeed.client.generator_client import Call
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.console.readings import PortReading, StreamReading, stream_readings
from wirespeed.console.session import Session
from wirespeed.console.tui.live import Live, missing
from wirespeed.errors import RemoteError, WirespeedError

MAX_STREAMS = 50
"""Streams that are fetched and shown; the others are counted."""

_TIMEOUT_S = 1.0


class Sampler:
    """`sample` raises errors of `wirespeed.errors` while the server is away, and recovers when it is back."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._client: StatelessClient | None = None
        self._server = ""
        self._before: tuple[float, list[PortReading]] | None = None
        self._streams: tuple[StreamReading, ...] = ()
        self._more = 0
        self._streams_of: object = None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def sample(self) -> Live:
        client = self._connected()
        ports = self._session.ports
        try:
            stats, readings = self._session.readings(ports, client)
            at_s = time.monotonic()
            flows = self._session.flows(client)
            self._look_at_streams(client, readings)
        except WirespeedError:
            self.close()  # the next one begins with a handshake: the server may be another by then
            raise
        before, self._before = self._before, (at_s, readings)
        seconds = at_s - before[0] if before else 0.0
        lacking = missing(readings, before[1] if before else None, seconds)
        return Live(stats, tuple(readings), lacking, tuple(flows), self._streams, self._more)

    def _connected(self) -> StatelessClient:
        if self._client is not None and self._server != self._session.server:
            self.close()
        if self._client is None:
            self._server = self._session.server
            client = StatelessClient(self._server, timeout_s=_TIMEOUT_S, attempts=1)
            try:
                client.connect()
            except WirespeedError:
                client.close()
                raise
            self._client, self._before, self._streams_of = client, None, None
        return self._client

    def _look_at_streams(self, client: StatelessClient, readings: Sequence[PortReading]) -> None:
        """Fetch streams when their numbers or a port's state changed, and not for every frame."""
        numbers = self._numbers(client)
        seen = (numbers, tuple(reading.state for reading in readings))
        if seen == self._streams_of:
            return
        listed = [(port, profile, one) for port, profile, ids in numbers for one in ids]
        wanted = listed[:MAX_STREAMS]
        calls = [
            Call("get_stream", {"port_id": port, "profile_id": profile, "stream_id": one, "get_pkt": True})
            for port, profile, one in wanted
        ]
        fetched: dict[tuple[int, str], dict[str, Any]] = {}
        try:
            answers = client.batch(calls)
        except RemoteError:
            return  # somebody removed one meanwhile; the next second knows
        for (port, profile, one), answer in zip(wanted, answers, strict=True):
            fetched.setdefault((port, profile), {})[str(one)] = answer["stream"]
        self._streams = tuple(
            reading for (port, profile), each in fetched.items() for reading in stream_readings(port, {profile: each})
        )
        self._more, self._streams_of = len(listed) - len(wanted), seen

    def _numbers(self, client: StatelessClient) -> tuple[tuple[int, str, tuple[int, ...]], ...]:
        ports = self._session.ports
        profiles = client.batch([Call("get_profile_list", {"port_id": port}) for port in ports])
        named = [(port, name) for port, names in zip(ports, profiles, strict=True) for name in names]
        lists = client.batch([Call("get_stream_list", {"port_id": port, "profile_id": name}) for port, name in named])
        return tuple((port, name, tuple(ids)) for (port, name), ids in zip(named, lists, strict=True))
