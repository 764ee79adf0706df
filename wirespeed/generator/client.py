"""A synchronous client of T-Rex's stateless RPC: talks to our generator and to a real T-Rex.

One request at a time on a ZeroMQ REQ socket. A request that gets no answer in time is lost; the socket is made
anew, and requests that may safely run twice are sent once more. Nothing here prints.
"""

from __future__ import annotations

import getpass
import json
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Self

import zmq

from wirespeed.errors import ConnectionFault, RemoteError, UsageError
from wirespeed.generator.framing import FramingError, pack, unpack
from wirespeed.units import Rate

DEFAULT_SERVER = "127.0.0.1:4501"
DEFAULT_PORT = 4501
API: dict[str, Any] = {"name": "STL", "major": 5, "minor": 1}
PROFILE_ID = "_"

BATCH_BYTES = 500_000
"""A batch is split here, well below what a server takes in one message."""

REPEATABLE = {"api_sync_v2", "ping", "update_traffic", "stop_traffic", "remove_all_streams"}
"""Requests that do no harm when they run twice; so do all whose name begins with get_."""

_RECOVERY_S = 0.5
_SLOW_S = 20.0
"""Adding and starting streams may take a server seconds: it builds their packets."""


@dataclass(frozen=True)
class Call:
    method: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PortStats:
    """Counters of one port since its server started; bytes hold the FCS. None where the server does not say.

    `asked` counts what the schedule called for: `opackets + refused + late`. The medium would not take the
    refused, and the server was too slow to send the late ones.
    """

    opackets: int
    ipackets: int
    obytes: int
    ibytes: int
    oerrors: int
    ierrors: int
    asked: int | None = None
    refused: int | None = None
    late: int | None = None
    rx_missed: int | None = None


@dataclass(frozen=True)
class Snapshot:
    """Counters of several ports read together, at `at_s` of the server's monotonic clock, or of ours if it has none.

    `instant` says that the server counts all of them at one instant and as of now.
    """

    at_s: float
    ports: dict[int, PortStats]
    global_stats: dict[str, Any] = field(default_factory=dict)
    instant: bool = False


@dataclass(frozen=True)
class PortStatus:
    """`speed_bps` is None when the port has no line speed; `state` is DOWN, IDLE, STREAMS, TX, PAUSE or PCAP_TX."""

    port: int
    owner: str
    state: str
    link_up: bool
    speed_bps: float | None


@dataclass(frozen=True)
class ServerInfo:
    """`program` is the server's name and version; `ports` are as `get_system_info` lists them, in order."""

    program: str
    port_count: int
    ports: tuple[dict[str, Any], ...]


class GeneratorClient:
    """One session with a generator. Connect first; close (or leave the `with` block) to free the socket."""

    def __init__(self, server: str = DEFAULT_SERVER, timeout_s: float = 2.0, attempts: int = 2) -> None:
        host, port = parse_server(server)
        self.server = f"{host}:{port}"
        self.user = _user()
        self.session_id = random.getrandbits(32)
        self._endpoint = f"tcp://{self.server}"
        self._timeout_s = timeout_s
        self._attempts = attempts
        self._suspect = False
        self._api_handle: str | None = None
        self._handlers: dict[int, str] = {}
        self._ids = count(1)
        self._context = zmq.Context()
        self._socket: zmq.Socket[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._drop_socket()
        self._context.term()

    def connect(self) -> None:
        """Agree on the API version. ConnectionFault when nobody answers, RemoteError when they are another kind."""
        try:
            self._api_handle = self.call("api_sync_v2", **API)["api_h"]
        except (TypeError, KeyError):
            raise ConnectionFault(f"{self.server} does not answer as a T-Rex stateless server") from None
        except ConnectionFault as fault:
            raise ConnectionFault(
                f"{fault}; start one with `wirespeed generator`, or say where it is with -s HOST[:PORT]"
            ) from None

    def call(self, method: str, timeout_s: float | None = None, **params: Any) -> Any:
        """The result of one request."""
        return self.batch([Call(method, params)], timeout_s)[0]

    def batch(self, calls: Sequence[Call], timeout_s: float | None = None) -> list[Any]:
        """Results in order; RemoteError is the first one that failed (the others have run all the same)."""
        results = self._gather(calls, timeout_s)
        for call, result in zip(calls, results, strict=True):
            if isinstance(result, RemoteError):
                raise RemoteError(f"generator {self.server} refused {call.method}: {result}", result.code)
        return results

    def server_info(self) -> ServerInfo:
        version, system = self.batch([Call("get_version"), Call("get_system_info")])
        ports = tuple(sorted(system.get("ports", ()), key=lambda port: port.get("index", 0)))
        built_by = str(version.get("built_by", ""))
        program = built_by if built_by.startswith("wirespeed ") else f"T-Rex {version.get('version', '?')}"
        return ServerInfo(program, int(system["port_count"]), ports)

    def port_status(self, ports: Sequence[int]) -> dict[int, PortStatus]:
        calls = [Call("get_port_status", {"port_id": p, "block": False, "profile_id": "*"}) for p in ports]
        return {port: _status(port, raw) for port, raw in zip(ports, self.batch(calls), strict=True)}

    def acquire(self, ports: Sequence[int], force: bool = False) -> None:
        """Own `ports`; RemoteError says who has one. With `force` they are taken from whoever has them."""
        who: dict[str, Any] = {"user": self.user, "session_id": self.session_id, "force": force}
        for port in ports:
            self._handlers[port] = self.call("acquire", port_id=port, **who)

    def release(self, ports: Sequence[int]) -> None:
        """Stop, empty and give back those of `ports` that we own, in one message: the line may be about to break."""
        calls = []
        for port in ports:
            if port in self._handlers:
                calls.append(self._owned("stop_traffic", port, profile_id=PROFILE_ID))
                calls.append(self._owned("remove_all_streams", port, profile_id=PROFILE_ID))
                calls.append(self._owned("release", port))
                del self._handlers[port]
        self.batch(calls)

    def reset(self, ports: Sequence[int]) -> None:
        """Stop the owned `ports` and take their streams away."""
        methods = ("stop_traffic", "remove_all_streams")
        self.batch([self._owned(method, port, profile_id=PROFILE_ID) for port in ports for method in methods])

    def add_streams(self, port: int, streams: Iterable[dict[str, Any]]) -> None:
        """Each item has a `stream` and the `stream_id` that other streams name as their next."""
        self.batch([self._owned("add_stream", port, profile_id=PROFILE_ID, **item) for item in streams], _SLOW_S)

    def start(self, ports: Sequence[int], rate: Rate, force: bool = False) -> None:
        """Start `ports` together, each at `rate`, until stopped."""
        more = {"duration": -1, "core_mask": (1 << 64) - 1, "start_at_ts": 0}
        self.batch([self._at_rate("start_traffic", port, rate, force, **more) for port in ports], _SLOW_S)

    def update(self, ports: Sequence[int], rate: Rate, force: bool = False) -> None:
        self.batch([self._at_rate("update_traffic", port, rate, force) for port in ports])

    def stop(self, ports: Sequence[int]) -> None:
        self.batch([self._owned("stop_traffic", port, profile_id=PROFILE_ID) for port in ports])

    def snapshot(self, ports: Sequence[int]) -> Snapshot:
        """Counters of `ports` and global statistics (where the server has them) in one request.

        The time is that of the counters where they carry one, as those of our generator do; else the server's clock
        read in the same request; else the middle of the request by our own.
        """
        calls = [Call("ping"), Call("get_global_stats"), *(Call("get_port_stats", {"port_id": port}) for port in ports)]
        before_s = time.monotonic()
        clock, global_stats, *counters = self._gather(calls)
        at_s = (before_s + time.monotonic()) / 2 if isinstance(clock, RemoteError) else float(clock["ts"])
        for raw in counters:
            if isinstance(raw, RemoteError):
                raise RemoteError(f"generator {self.server} refused get_port_stats: {raw}", raw.code)
        instant = all("ts" in raw for raw in counters)
        return Snapshot(
            at_s=float(counters[0]["ts"]) if instant else at_s,
            ports={port: _stats(raw) for port, raw in zip(ports, counters, strict=True)},
            global_stats={} if isinstance(global_stats, RemoteError) else global_stats,
            instant=instant,
        )

    def _gather(self, calls: Sequence[Call], timeout_s: float | None = None) -> list[Any]:
        """Results in order, a RemoteError where a call failed."""
        results: list[Any] = []
        for part in self._split(calls):
            results += self._request(part, timeout_s)
        return results

    def _owned(self, method: str, port: int, **params: Any) -> Call:
        return Call(method, {"port_id": port, "handler": self._handlers.get(port, ""), **params})

    def _at_rate(self, method: str, port: int, rate: Rate, force: bool, **params: Any) -> Call:
        mul = {"type": rate.unit, "op": "abs", "value": rate.value}
        return self._owned(method, port, profile_id=PROFILE_ID, mul=mul, force=force, **params)

    def _split(self, calls: Sequence[Call]) -> Iterator[list[tuple[Call, bytes]]]:
        part: list[tuple[Call, bytes]] = []
        size = 0
        for call in calls:
            text = self._encode(call)
            if part and size + len(text) > BATCH_BYTES:
                yield part
                part, size = [], 0
            part.append((call, text))
            size += len(text) + 2
        if part:
            yield part

    def _encode(self, call: Call) -> bytes:
        params = call.params if self._api_handle is None else {"api_h": self._api_handle, **call.params}
        return json.dumps(
            {"jsonrpc": "2.0", "id": str(next(self._ids)), "method": call.method, "params": params}
        ).encode()

    def _request(self, part: list[tuple[Call, bytes]], timeout_s: float | None) -> list[Any]:
        """One message and its answer; a failed member is a RemoteError among the results."""
        message = part[0][1] if len(part) == 1 else b"[" + b", ".join(text for _, text in part) + b"]"
        repeatable = all(call.method in REPEATABLE or call.method.startswith("get_") for call, _ in part)
        answer = self._exchange(pack(message), timeout_s, self._attempts if repeatable else 1)
        try:
            document = json.loads(unpack(answer)[0].decode(errors="replace"), strict=False)
        except (FramingError, json.JSONDecodeError) as error:
            raise ConnectionFault(f"generator {self.server} answered what is no JSON-RPC: {error}") from None
        members = document if isinstance(document, list) else [document]
        if not all(isinstance(member, dict) for member in members):
            raise ConnectionFault(f"generator {self.server} answered what is no JSON-RPC: {str(document)[:60]!r}")
        if len(members) != len(part):
            if len(members) == 1 and "error" in members[0]:  # the server took the whole message ill
                members *= len(part)
            else:
                raise ConnectionFault(f"generator {self.server} gave {len(members)} answers to {len(part)} requests")
        return [_result(member) for member in members]

    def _exchange(self, message: bytes, timeout_s: float | None, attempts: int) -> bytes:
        wait_s = self._timeout_s if timeout_s is None else timeout_s
        if self._suspect:  # it has just failed to answer: do not wait for it at length again
            wait_s, attempts = min(wait_s, _RECOVERY_S), 1
        for _ in range(attempts):
            try:
                socket = self._open_socket()
                socket.send(message)
                if socket.poll(round(wait_s * 1000)):
                    answer = socket.recv()
                    self._suspect = False
                    return answer
            except zmq.ZMQError as error:
                self._drop_socket()
                raise ConnectionFault(f"generator {self.server} cannot be reached: {error}") from None
            except BaseException:
                self._drop_socket()  # a REQ socket that missed its answer cannot send again
                raise
            self._drop_socket()
        self._suspect = True
        if self._api_handle is None:
            raise ConnectionFault(f"no generator answers at {self.server} within {wait_s * attempts:g} s")
        raise ConnectionFault(f"generator {self.server} stopped answering: no reply within {wait_s * attempts:g} s")

    def _open_socket(self) -> zmq.Socket[bytes]:
        if self._socket is None:
            self._socket = self._context.socket(zmq.REQ)
            self._socket.setsockopt(zmq.LINGER, 0)
            self._socket.setsockopt(zmq.IPV6, 1)
            self._socket.connect(self._endpoint)
        return self._socket

    def _drop_socket(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def parse_server(text: str) -> tuple[str, int]:
    """`HOST`, `HOST:PORT`, `[IPV6]:PORT` or a bare IPv6 address."""
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")) or text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    if not host or any(mark.isspace() or mark == "/" for mark in host) or not _is_port(port):
        raise UsageError(f"server {text!r} cannot be read: give HOST or HOST:PORT, such as {DEFAULT_SERVER}")
    return host, int(port)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 65536


def _result(member: dict[str, Any]) -> Any:
    if "error" not in member:
        return member.get("result")
    error = member["error"]
    text = error.get("specific_err") or error.get("message") or "unknown error"
    return RemoteError(" ".join(str(text).split()), int(error.get("code", -32000)))


def _status(port: int, raw: dict[str, Any]) -> PortStatus:
    attributes = raw.get("attr", {})
    speed_gbps = float(attributes.get("speed") or 0)
    return PortStatus(
        port=port,
        owner=str(raw.get("owner", "")),
        state=str(raw.get("state", "")),
        link_up=bool(attributes.get("link", {}).get("up", True)),
        speed_bps=speed_gbps * 1e9 if speed_gbps > 0 else None,
    )


def _stats(raw: dict[str, Any]) -> PortStats:
    def optional(key: str) -> int | None:
        return int(raw[key]) if key in raw else None

    return PortStats(
        **{key: int(raw[key]) for key in ("opackets", "ipackets", "obytes", "ibytes", "oerrors", "ierrors")},
        asked=optional("asked_packets"),
        refused=optional("refused_packets"),
        late=optional("late_packets"),
        rx_missed=optional("rx_missed"),
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "wirespeed"
