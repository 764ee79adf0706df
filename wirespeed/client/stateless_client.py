"""The whole of T-Rex's stateless mode for one session: what `GeneratorClient` has, and all that its console does."""

from __future__ import annotations

import base64
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from wirespeed.client.generator_client import PROFILE_ID, Call, GeneratorClient
from wirespeed.errors import RemoteError

Json = dict[str, Any]

ALL_CORES = (1 << 64) - 1
ALL_PROFILES = "*"

WORK_IN_PROGRESS = -32002
_JOB_DONE, _PORT_ERROR = 4, 7
"""Events of a port."""
_FILE_OPENED_S = 1.0
"""A server that could not open a file has said so by then: it looks for events a few times per second."""
_EVENT_POLL_S = 0.05
_TICKET_POLL_S = 0.3
_TICKET_WAIT_S = 10.0
_SLOW_S = 20.0
"""Timeout of requests for which the server builds packets, which may take seconds."""


@dataclass(frozen=True, order=True)
class ProfileTarget:
    """One profile of one port; T-Rex writes it `0._`."""

    port: int
    profile: str = PROFILE_ID

    def __str__(self) -> str:
        return f"{self.port}.{self.profile}"


@dataclass(frozen=True)
class Multiplier:
    """A load, or a change of it: `type` is raw, bps, bpsl1, pps or percentage, `op` abs, add or sub."""

    type: str
    op: str
    value: float

    def to_json(self) -> Json:
        return {"type": self.type, "op": self.op, "value": self.value}


@dataclass(frozen=True)
class Pushed:
    """A packet without FCS; on request the server inserts the addresses of the port."""

    raw: bytes
    port_src_mac: bool = False
    port_dst_mac: bool = False

    def to_json(self) -> Json:
        return {
            "binary": base64.b64encode(self.raw).decode(),
            "use_port_dst_mac": self.port_dst_mac,
            "use_port_src_mac": self.port_src_mac,
        }


class StatelessClient(GeneratorClient):
    """Requests that go to several ports are one message; RemoteError names each port that refused, and why."""

    @property
    def owned(self) -> tuple[int, ...]:
        return tuple(sorted(self._handlers))

    def disown(self, port: int) -> None:
        """Forget a port that somebody else has taken."""
        self._handlers.pop(port, None)

    def take(self, ports: Sequence[int], force: bool = False) -> None:
        """Own `ports`. Those that could be had are owned even when another one was refused."""
        who: Json = {"user": self.user, "session_id": self.session_id, "force": force}
        calls = [Call("acquire", {"port_id": port, **who}) for port in ports]
        results = self._gather(calls)
        for port, result in zip(ports, results, strict=True):
            if isinstance(result, str):
                self._handlers[port] = result
        self._raise_refused(ports, results)

    def give_back(self, ports: Sequence[int]) -> None:
        """Release ports; unlike `release`, what they send goes on."""
        ours = [port for port in ports if port in self._handlers]
        results = self._gather([self._owned("release", port) for port in ours])
        for port in ours:
            self.disown(port)
        self._raise_refused(ours, [None if _is_lost(result) else result for result in results])

    def on_ports(self, method: str, ports: Sequence[int], /, **params: Any) -> list[Any]:
        """One owner's request for each port."""
        return self._settled(ports, [self._owned(method, port, **params) for port in ports])

    def play_file(self, ports: Sequence[int], /, *, dual: bool, **params: Any) -> None:
        """push_remote on each port; with `dual` also from the other port of its pair, which must be owned.

        A T-Rex opens the file after its answer and reports a failure by an event, which becomes RemoteError.
        """
        listener = random.getrandbits(32)  # others may fetch the events of our own session meanwhile
        self.events(listener)
        calls = [
            self._owned("push_remote", port, is_dual=dual, slave_handler=self._handlers.get(port ^ 1, ""), **params)
            for port in ports
        ]
        self._settled(ports, calls)
        self._wait_for_file(ports, listener, str(params["pcap_filename"]))

    def _wait_for_file(self, ports: Sequence[int], listener: int, file: str) -> None:
        """Until each of `ports` has said that it failed or is done, or has played for a while."""
        deadline = time.monotonic() + _FILE_OPENED_S
        waiting, failed = set(ports), set()
        while waiting and time.monotonic() < deadline:
            for event in self.events(listener):
                port, kind = (event.get("data") or {}).get("port_id"), event.get("type")
                if kind == _PORT_ERROR and port in waiting:
                    failed.add(port)
                if kind in (_PORT_ERROR, _JOB_DONE):
                    waiting.discard(port)
            if waiting:
                time.sleep(_EVENT_POLL_S)
        if failed:
            raise RemoteError(
                f"port {', '.join(map(str, sorted(failed)))}: {self.server} cannot play {file!r}; it must be a pcap or "
                "ERF file on the server's own machine that the server may read"
            )

    def on_profiles(
        self, method: str, targets: Sequence[ProfileTarget], timeout_s: float | None = None, /, **params: Any
    ) -> list[Any]:
        """One owner's request for each profile."""
        calls = [self._owned(method, target.port, profile_id=target.profile, **params) for target in targets]
        return self._settled([target.port for target in targets], calls, timeout_s)

    # ---- streams and traffic

    def load_streams(self, target: ProfileTarget, streams: Iterable[Json]) -> None:
        """Add streams; each item has its `stream_id` and `stream`."""
        calls = [self._owned("add_stream", target.port, profile_id=target.profile, **item) for item in streams]
        self._settled([target.port] * len(calls), calls, _SLOW_S)

    def start_profiles(
        self,
        targets: Sequence[ProfileTarget],
        mul: Multiplier,
        duration_s: float = -1,
        force: bool = False,
        core_masks: Sequence[int] = (),
        start_at_ts: float = 0,
    ) -> None:
        """`core_masks` are those of the targets in order, or one for all; `start_at_ts` is of the server's clock."""
        masks = core_masks if len(core_masks) > 1 else [*core_masks, ALL_CORES][:1] * len(targets)
        more: Json = {"mul": mul.to_json(), "duration": duration_s, "force": force, "start_at_ts": start_at_ts}
        calls = [
            self._owned("start_traffic", target.port, profile_id=target.profile, core_mask=mask, **more)
            for target, mask in zip(targets, masks, strict=True)
        ]
        self._settled([target.port for target in targets], calls, _SLOW_S)

    def update_profiles(self, targets: Sequence[ProfileTarget], mul: Multiplier, force: bool = False) -> None:
        self.on_profiles("update_traffic", targets, mul=mul.to_json(), force=force)

    def validate(self, targets: Sequence[ProfileTarget]) -> list[Json]:
        """Rates of each profile at multiplier 1."""
        return self.on_profiles("validate", targets)

    def profiles(self, ports: Sequence[int]) -> list[ProfileTarget]:
        """All profiles of `ports`."""
        answers = self.batch([Call("get_profile_list", {"port_id": port}) for port in ports])
        return [ProfileTarget(port, name) for port, names in zip(ports, answers, strict=True) for name in names]

    def all_streams(self, port: int) -> dict[str, dict[str, Json]]:
        """Streams of a port as they were added: by profile, then by number."""
        answer = self.call("get_all_streams", _SLOW_S, port_id=port, profile_id=ALL_PROFILES)
        profiles: dict[str, dict[str, Json]] = answer.get("profiles") or {}
        return profiles

    def server_ts(self) -> float:
        """Seconds of the server's clock."""
        return float(self.call("ping")["ts"])

    # ---- statistics

    def active_pg_ids(self) -> list[int]:
        """Packet groups of all streams."""
        ids = self.call("get_active_pgids").get("ids") or {}
        return sorted({int(pg_id) for kind in ids.values() for pg_id in kind or ()})

    def pg_stats(self, pg_ids: Sequence[int]) -> Json:
        answer: Json = self.call("get_pgid_stats", pgids=list(pg_ids))
        return answer

    def events(self, session_id: int | None = None) -> list[Json]:
        """Events since the last request of this session, or of another one."""
        listener = self.session_id if session_id is None else session_id
        answer = self.call("get_async_events", session_id=listener, user="sub")
        return list(answer.get("data") or ())

    # ---- packets

    def capture(self, command: str, **params: Any) -> Any:
        """`start`, `status`, `stop`, `fetch` and `remove`; captures have no owner."""
        return self.call("capture", command=command, **params)

    def push_packets(self, port: int, packets: Sequence[Pushed]) -> None:
        """Send packets once, in addition to the port's own traffic."""
        listed = [packet.to_json() for packet in packets]
        [result] = self._gather([Call("push_pkts", {"port_id": port, "pkts": listed, "ipg_usec": 0, "force": True})])
        self._raise_refused([port], [result])

    # ----

    def _settled(self, ports: Sequence[int], calls: Sequence[Call], timeout_s: float | None = None) -> list[Any]:
        """Results in order, those of tickets once the work is done."""
        results = self._gather(calls, timeout_s)
        for place, result in enumerate(results):
            if isinstance(result, RemoteError) and result.code == WORK_IN_PROGRESS:
                results[place] = self._redeem(str(result))
        for port, result in zip(ports, results, strict=True):
            if _is_lost(result):
                self.disown(port)
        self._raise_refused(ports, results)
        return results

    def _redeem(self, ticket: str) -> Any:
        """Wait for work that the server does in the background; its result, or the RemoteError it ended with."""
        deadline = time.monotonic() + _TICKET_WAIT_S
        while True:
            [result] = self._gather([Call("get_async_results", {"ticket_id": int(ticket)})])
            if not isinstance(result, RemoteError) or result.code != WORK_IN_PROGRESS:
                return result
            if time.monotonic() > deadline:
                self._gather([Call("cancel_async_task", {"ticket_id": int(ticket)})])
                return RemoteError(f"not done within {_TICKET_WAIT_S:g} s; cancelled")
            time.sleep(_TICKET_POLL_S)

    def _raise_refused(self, ports: Sequence[int], results: Sequence[Any]) -> None:
        refused: dict[str, set[int]] = {}
        for port, result in zip(ports, results, strict=True):
            if isinstance(result, RemoteError):
                refused.setdefault(str(result), set()).add(port)
        if refused:
            first = next(result for result in results if isinstance(result, RemoteError))
            parts = [f"port {', '.join(map(str, sorted(which)))}: {text}" for text, which in refused.items()]
            raise RemoteError("; ".join(parts), first.code)


def _is_lost(result: Any) -> bool:
    """True if the answer shows that the port no longer belongs to this session."""
    texts = ("port is not owned by you", "please acquire the port")
    return isinstance(result, RemoteError) and any(text in str(result) for text in texts)
