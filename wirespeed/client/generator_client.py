"""A synchronous client of T-Rex's stateless RPC, for wirespeed's generator and T-Rex.

One request at a time on a ZeroMQ REQ socket. A request without an answer in time is lost; the socket is created again,
and requests that may safely run twice are repeated. Nothing here prints.
"""

from __future__ import annotations

import getpass
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from socket import create_connection
from typing import Any, Self

import zmq

from wirespeed.client.fatal import profile_looked_up, variable_without_bounds
from wirespeed.client.framing import FramingError, pack, unpack
from wirespeed.client.readings import (
    PortStatus,
    ServerInfo,
    Snapshot,
    is_wirespeed,
    port_stats,
    port_status,
    server_info,
)
from wirespeed.errors import ConnectionFault, RemoteError, UsageError
from wirespeed.units import Rate

DEFAULT_SERVER = "127.0.0.1:4501"
DEFAULT_PORT = 4501
API: dict[str, Any] = {"name": "STL", "major": 5, "minor": 1}
PROFILE_ID = "_"

BATCH_BYTES = 500_000
"""A batch is split here, well below what a server takes in one message."""

REPEATABLE = {
    "api_sync_v2",
    "ping",
    "update_traffic",
    "stop_traffic",
    "remove_all_streams",
    "resume_streams",
    "set_port_attr",
}
"""Requests that do no harm when they run twice; so do all whose name begins with get_."""

_ATTEMPTS_FIRST, _ATTEMPTS = 2, 5
"""The first contact shall fail soon. A server that has answered once is there, on a machine that may be busy."""
_RECOVERY_S = 0.5
_LOOK_S = 0.2
"""A server that does not answer within this is looked for: a closed port says at once that it is gone."""
_SLOW_S = 20.0
"""Adding and starting streams may take a server seconds: it builds their packets."""


@dataclass(frozen=True)
class Call:
    method: str
    params: dict[str, Any] = field(default_factory=dict)


class GeneratorClient:
    """One session with a generator. Connect first; close (or leave the `with` block) to free the socket.

    A request that does no harm when it runs twice is sent up to `attempts` times, each with `timeout_s` for its answer.
    Any other request is sent once, and waited for as long as for all of these attempts.
    """

    def __init__(self, server: str = DEFAULT_SERVER, timeout_s: float = 2.0, attempts: int | None = None) -> None:
        host, port = parse_server(server)
        self.server = f"{host}:{port}"
        self.user = _user()
        self.session_id = random.getrandbits(32)
        self.trace: Callable[[str], None] | None = None
        """Is given each request and each answer as its JSON."""
        self._endpoint = f"tcp://{self.server}"
        self._timeout_s = timeout_s
        self._attempts = attempts
        self._silence = ""
        """The fault of a server that did not answer the last request."""
        self._api_handle: str | None = None
        self._handlers: dict[int, str] = {}
        self._profiles: set[tuple[int, str]] = set()
        self._ids = count(1)
        self._socket: zmq.Socket[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._drop_socket()

    def connect(self) -> None:
        """Agree on the API version, also after a restart of the server. ConnectionFault without an answer, RemoteError
        for another type of server."""
        self._api_handle = None
        self._profiles.clear()
        try:
            self._api_handle = self.call("api_sync_v2", **API)["api_h"]
        except (TypeError, KeyError):
            raise ConnectionFault(f"{self.server} does not answer as a T-Rex stateless server") from None
        except ConnectionFault as fault:
            raise ConnectionFault(
                f"{fault}; start one with `wirespeed generator`, or give its address with -s HOST[:PORT]"
            ) from None

    def call(self, method: str, timeout_s: float | None = None, **params: Any) -> Any:
        """The result of one request."""
        return self.batch([Call(method, params)], timeout_s)[0]

    def batch(self, calls: Sequence[Call], timeout_s: float | None = None) -> list[Any]:
        """Results in order. RemoteError is that of the first failed request; the others have run anyway."""
        results = self._gather(calls, timeout_s)
        return [self._checked(call.method, result) for call, result in zip(calls, results, strict=True)]

    def server_info(self) -> ServerInfo:
        return server_info(*self.batch([Call("get_version"), Call("get_system_info")]))

    def port_status(self, ports: Sequence[int]) -> dict[int, PortStatus]:
        answers = self.batch([_status_call(port) for port in ports])
        return {port: port_status(port, raw) for port, raw in zip(ports, answers, strict=True)}

    def acquire(self, ports: Sequence[int], force: bool = False) -> None:
        """Acquire `ports`; RemoteError names the owner of a port. With `force` they are acquired from other users."""
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

    def ask_as_owner(self, method: str, port: int, timeout_s: float | None = None, **params: Any) -> Any:
        """The result of one request that only the owner of `port` may make."""
        return self.batch([self._owned(method, port, **params)], timeout_s)[0]

    def handler(self, port: int) -> str:
        """Proof that this session owns `port`, for a request that names several; empty if it does not."""
        return self._handlers.get(port, "")

    def flow_control_off(self, ports: Sequence[int]) -> None:
        """Switch pause frames off on the NICs of `ports`, in both directions. Drivers without that setting are
        skipped."""
        off = {"flow_ctrl_mode": {"mode": 0}}
        self._gather([self._owned("set_port_attr", port, attr=off) for port in ports])

    def set_promiscuous(self, on_by_port: Mapping[int, bool]) -> None:
        """Have the NICs of ports receive all frames, or those for them; drivers that cannot are let be."""
        self._gather(
            [
                self._owned("set_port_attr", port, attr={"promiscuous": {"enabled": on}})
                for port, on in on_by_port.items()
            ]
        )

    def start(self, ports: Sequence[int], rate: Rate, force: bool = False) -> None:
        """Start `ports` together, each at `rate`, until stopped."""
        self.start_each(dict.fromkeys(ports, rate), force)

    def start_each(
        self, rates: Mapping[int, Rate], force: bool = False, duration_s: float = -1, at_s: float = 0.0
    ) -> None:
        """Start ports together, each at its rate, until stopped or for `duration_s`, which the server sees to. `at_s`
        is when, by the clock of our generator's snapshots; 0, and whatever is over, is now."""
        more = {"duration": duration_s, "core_mask": (1 << 64) - 1, "start_at_ts": at_s}
        self.batch([self._at_rate("start_traffic", port, rate, force, **more) for port, rate in rates.items()], _SLOW_S)

    def update(self, ports: Sequence[int], rate: Rate, force: bool = False) -> None:
        self.update_each(dict.fromkeys(ports, rate), force)

    def update_each(self, rates: Mapping[int, Rate], force: bool = False) -> None:
        self.batch([self._at_rate("update_traffic", port, rate, force) for port, rate in rates.items()])

    def stop(self, ports: Sequence[int]) -> None:
        self.batch([self._owned("stop_traffic", port, profile_id=PROFILE_ID) for port in ports])

    def snapshot(
        self, ports: Sequence[int], groups: Sequence[int] = (), held: Mapping[int, int | None] | None = None
    ) -> Snapshot:
        """Counters of `ports` and global statistics (if the server has them) in one request.

        The time is that of the counters if they carry one, as on a wirespeed generator; otherwise the server's clock,
        read in the same request; otherwise the local time in the middle of the request. `groups` are packet groups to
        read too.

        `held` are owned ports, each with the number of a stream that it sends (None if it sends none): the request
        also verifies the ownership, and resets the owner timeout.
        """
        asked = list((held or {}).items())
        calls = [self._proof(port, stream) for port, stream in asked]
        calls += [_status_call(port) for port, _ in asked]
        calls += [Call("get_pgid_stats", {"pgids": list(groups), "order": True})] if groups else []
        calls += [Call("ping"), Call("get_global_stats"), *(Call("get_port_stats", {"port_id": p}) for p in ports)]
        before_s = time.monotonic()
        results = self._gather(calls)
        here_s = (before_s + time.monotonic()) / 2
        proofs, statuses, rest = results[: len(asked)], results[len(asked) : 2 * len(asked)], results[2 * len(asked) :]
        pg_stats = self._checked("get_pgid_stats", rest.pop(0)) if groups else {}
        clock, global_stats, *counters = rest
        stats = {
            port: port_stats(self._checked("get_port_stats", raw)) for port, raw in zip(ports, counters, strict=True)
        }
        at_s = here_s if isinstance(clock, RemoteError) else float(clock["ts"])
        stamps = [one.at_s for one in stats.values() if one.at_s is not None]
        instant = len(stamps) == len(stats)
        statistics = {} if isinstance(global_stats, RemoteError) else global_stats
        return Snapshot(
            at_s=stamps[0] if instant and stamps else at_s,
            ports=stats,
            global_stats=statistics,
            instant=instant,
            machine=statistics.get("machine"),
            groups=pg_stats,
            status={
                port: port_status(port, self._checked("get_port_status", raw))
                for (port, _), raw in zip(asked, statuses, strict=True)
            },
            refused={
                port: str(proof)
                for (port, _), proof in zip(asked, proofs, strict=True)
                if isinstance(proof, RemoteError)
            },
        )

    def machine(self) -> dict[str, Any] | None:
        """Steal and preemption of the generator's machine, by a request that takes the generator almost no time; None
        for T-Rex."""
        (told,) = self._gather([Call("get_global_stats")])
        return None if isinstance(told, RemoteError) else told.get("machine")

    def _proof(self, port: int, stream: int | None) -> Call:
        """An owner's request without effect: resume an unpaused stream, or stop an idle port."""
        if stream is None:
            return self._owned("stop_traffic", port, profile_id=PROFILE_ID)
        return self._owned("resume_streams", port, profile_id=PROFILE_ID, stream_ids=[stream])

    def _checked(self, method: str, result: Any) -> Any:
        if isinstance(result, RemoteError):
            raise RemoteError(f"generator {self.server} refused {method}: {result}", result.code)
        return result

    def _gather(self, calls: Sequence[Call], timeout_s: float | None = None) -> list[Any]:
        """Results in order, a RemoteError where a call failed. UsageError for what would end a T-Rex: nothing is sent
        then."""
        self._check_not_fatal(calls)
        results: list[Any] = []
        for part in self._split(calls):
            results += self._request(part, timeout_s)
        for call, result in zip(calls, results, strict=True):
            self._note_profiles(call, result)
        return results

    def _check_not_fatal(self, calls: Sequence[Call]) -> None:
        asked = [profile_looked_up(call.method, call.params) for call in calls]
        unknown = {one for one in asked if one is not None and one not in self._profiles}
        variable = next(filter(None, (variable_without_bounds(call.method, call.params) for call in calls)), None)
        if (not unknown and variable is None) or is_wirespeed(self.call("get_version")):
            return
        if variable is not None:
            raise UsageError(
                f"variable {variable!r} has 8 bytes and takes every value, which crashes T-Rex: give it a max_value "
                "of one less"
            )
        ports = sorted({port for port, _ in unknown})
        listed = self.batch([Call("get_profile_list", {"port_id": port}) for port in ports])
        for port, profile in sorted(unknown - self._profiles):
            names = ", ".join(sorted(listed[ports.index(port)]))
            raise UsageError(f"port {port} of {self.server} has no profile {profile!r}; there is: {names}")

    def _note_profiles(self, call: Call, result: Any) -> None:
        """A T-Rex keeps profiles, emptied ones too."""
        if call.method == "get_profile_list" and isinstance(result, list):
            self._profiles.update((call.params["port_id"], name) for name in result)
        elif call.method == "add_stream" and not isinstance(result, RemoteError):
            self._profiles.add((call.params["port_id"], call.params.get("profile_id", PROFILE_ID)))

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
        attempts = self._attempts or (_ATTEMPTS_FIRST if self._api_handle is None else _ATTEMPTS)
        wait_s = timeout_s or self._timeout_s * (1 if repeatable else attempts)
        answer = self._exchange(pack(message), wait_s, attempts if repeatable else 1)
        try:
            text = unpack(answer)[0].decode(errors="replace")
            if self.trace is not None:
                self.trace(f"request: {message.decode()}")
                self.trace(f"answer: {text}")
            document = json.loads(text, strict=False)
        except (FramingError, json.JSONDecodeError) as error:
            raise ConnectionFault(f"generator {self.server} sent a reply that is not JSON-RPC: {error}") from None
        members = document if isinstance(document, list) else [document]
        if not all(isinstance(member, dict) for member in members):
            raise ConnectionFault(f"generator {self.server} sent a reply that is not JSON-RPC: {str(document)[:60]!r}")
        if len(members) != len(part):
            if len(members) == 1 and "error" in members[0]:  # the server took the whole message ill
                members *= len(part)
            else:
                raise ConnectionFault(f"generator {self.server} gave {len(members)} answers to {len(part)} requests")
        return [_result(member) for member in members]

    def _exchange(self, message: bytes, wait_s: float, attempts: int) -> bytes:
        waited = f"no reply within {wait_s * attempts:g} s"
        if self._silence:  # the server is not waited for at length again
            wait_s, attempts = min(wait_s, _RECOVERY_S), 1
        for _ in range(attempts):
            try:
                socket = self._open_socket()
                socket.send(message)
                if self._poll(socket, wait_s):
                    answer = socket.recv()
                    self._silence = ""
                    return answer
            except zmq.ZMQError as error:
                self._drop_socket()
                raise ConnectionFault(f"generator {self.server} cannot be reached: {error}") from None
            except BaseException:
                self._drop_socket()  # a REQ socket that missed its answer cannot send again
                raise
            self._drop_socket()
            if self._is_gone():
                waited, self._silence = "its port is closed", ""
                break
        if self._api_handle is None:
            self._silence = f"no generator answers at {self.server} within {wait_s * attempts:g} s"
        else:
            self._silence = self._silence or f"generator {self.server} stopped answering: {waited}"
        raise ConnectionFault(self._silence)

    def _poll(self, socket: zmq.Socket[bytes], wait_s: float) -> bool:
        """True if an answer arrived within `wait_s`. If the server has exited, the wait is short."""
        look_s = min(wait_s, _LOOK_S)
        if socket.poll(round(look_s * 1000)):
            return True
        return bool(socket.poll(0 if self._is_gone() else round((wait_s - look_s) * 1000)))

    def _is_gone(self) -> bool:
        """True if the server has answered before, and now refuses connections."""
        if self._api_handle is None:
            return False  # it may be starting
        try:
            host, port = parse_server(self.server)
            create_connection((host.strip("[]"), port), _LOOK_S).close()
        except ConnectionRefusedError:
            return True
        except OSError:
            pass
        return False

    def _open_socket(self) -> zmq.Socket[bytes]:
        if self._socket is None:
            # The process's context, which nobody ends: one of our own would wait at its end, for ever, for a socket
            # that an interrupt has kept from being ours.
            self._socket = zmq.Context.instance().socket(zmq.REQ)
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


def _status_call(port: int) -> Call:
    return Call("get_port_status", {"port_id": port, "block": False, "profile_id": "*"})


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "wirespeed"
