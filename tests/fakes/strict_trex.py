"""A T-Rex v3.08 stateless server that is as strict as the real one, made from recorded requests and answers.

Types, missing fields, texts and codes of errors are T-Rex's; `profile_id: "*"` is accepted where T-Rex accepts it, a
name elsewhere; events have its order; no message differs from T-Rex's. Requests that crash a T-Rex crash this one:
`handle` raises Dead.

Its two ports are connected through a `Device`. Sent and received packets are each read up to `skew_s` before the
answer. Counters follow from the history of rates and the clock, so tests need not run in step with it. With `extended`
it has the counters and methods of wirespeed's generator.
"""

from __future__ import annotations

import json
import random
import string
import time
from collections.abc import Callable
from typing import Any

from trex_captures import Captures
from trex_device import Device
from trex_fields import Dead, Fields, Refused
from trex_port import Port
from trex_port_requests import PortRequests
from trex_statistics import Statistics
from trex_stream_requests import StreamRequests

from wirespeed.client.framing import pack, unpack

OWNED = {
    *("release", "add_stream", "remove_stream", "remove_all_streams", "validate", "start_traffic", "stop_traffic"),
    *("pause_traffic", "resume_traffic", "update_traffic", "pause_streams", "resume_streams", "update_streams"),
    *("service", "set_rx_feature", "push_remote", "remove_rx_filters", "start_capture_port"),
}
FREE = {"api_sync", "api_sync_v2", "get_version", "ping"}
"""Methods without an API handle."""

ABSENT = {"ping", "get_global_stats"}
"""Missing with `extended`: the time is in the counters of ports."""

_VERSION = {"build_date": "Nov 22 2026", "build_time": "14:58:35", "built_by": "unknown", "mode": "STL"}


class StrictTrex(PortRequests, StreamRequests):
    """`files` are packet files that the server can read. `clock` returns seconds; the server's own time is 0 at
    `began_s`.
    """

    def __init__(
        self,
        *,
        extended: bool = False,
        clock: Callable[[], float] = time.monotonic,
        began_s: float | None = None,
        speed_gbps: float = 10.0,
        no_link: tuple[int, ...] = (),
        driver: str = "net_memif",
        skew_s: float = 0.0,
        latency_lost: int = 0,
        seed: int = 0,
        files: frozenset[str] = frozenset(),
        publish: Callable[[bytes], object] = lambda message: None,
        **device: Any,
    ) -> None:
        self.extended, self.unstamped, self._driver = extended, False, driver
        self._clock, self.files, self._publish = clock, files, publish
        self._random = random.Random(seed)
        self._began_s = clock() if began_s is None else began_s
        self._answering_s: float | None = None
        self._api_h = self._new_handle()
        self.session_queues: dict[int, list[dict[str, Any]]] = {}
        self._numbers: dict[int, int] = {}
        macs = ["02:00:00:00:00:00", "02:00:00:00:00:01"]
        self.ports = [Port(one, speed_gbps * 1e9, macs[one], macs[1 - one], self._tell) for one in (0, 1)]
        self.device = Device(**device)
        self.statistics = Statistics(self.ports, self.device, random.Random(seed), skew_s, latency_lost)
        self.no_link = no_link
        self.captures = Captures(range(len(self.ports)))
        self.settings = {"do_mbuf_cache": False, "process_at_cp": False, "sched_max_stretch": 0.0}
        self.methods: list[str] = []
        self.on_stop: Callable[[], object] = lambda: None

    @property
    def now_s(self) -> float:
        """The time of all answers in a message."""
        return self._clock() - self._began_s if self._answering_s is None else self._answering_s

    @property
    def no_link(self) -> tuple[int, ...]:
        return tuple(port.index for port in self.ports if not port.link_up)

    @no_link.setter
    def no_link(self, ports: tuple[int, ...]) -> None:
        for port in self.ports:
            port.link_up = port.index not in ports

    @property
    def idle(self) -> bool:
        """True if nothing is sent, no port is owned, and no stream is left."""
        kept = any(profile.streams for port in self.ports for profile in port.profiles.values())
        return not kept and not any(port.owner or port.active for port in self.ports)

    def tick(self) -> None:
        for port in self.ports:
            port.tick(self.now_s)

    def handle(self, message: bytes) -> bytes:
        self.tick()
        payload, packed = unpack(message)
        try:
            document = json.loads(payload)
        except json.JSONDecodeError:
            answer: Any = _error(None, -32700, "Bad JSON Format")
        else:
            self._answering_s = self.now_s
            answers = [self._answer(one) for one in _requests(document)]
            self._answering_s = None
            answer = answers if len(answers) > 1 else answers[0]
        text = json.dumps(answer).encode()
        return pack(text) if packed else text

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        identity = request.get("id")
        if request.get("jsonrpc") != "2.0":
            return _error(identity, -32600, "Invalid JSONRPC Version")
        if "id" not in request:
            return _error(None, -32600, "Missing 'id' field")
        method = request.get("method")
        if not isinstance(method, str):
            return _error(identity, -32600, "Missing Method Name")
        self.methods.append(method)
        run = getattr(self, f"_do_{method}", None)
        if run is None or (self.extended and method in ABSENT):
            return _error(identity, -32601, f"Method {method} not registered")
        try:
            if not isinstance(request.get("params"), dict):
                raise Refused("JSON-RPC2 params should be object in TRex case ")
            result = run(self._checked(method, Fields(request["params"])))
        except Refused as refused:
            return _error(identity, refused.code, refused.message, refused.text)
        return {"id": identity, "jsonrpc": "2.0", "result": result}

    def _checked(self, method: str, params: Fields) -> Fields:
        """Check the API handle, and the port's handler for methods of the owner."""
        if method not in FREE and params.text("api_h") != self._api_h:
            raise Refused("API verification failed - API handler provided mismatch for class: 'common'")
        if method in OWNED:
            port = self._port(params)
            port.check_owner(params.text("handler"))
        return params

    def _port(self, params: Fields) -> Port:
        index = params.whole("port_id", "byte")
        if index >= len(self.ports):
            raise Refused("invalid port id - should be: \1 \0")
        return self.ports[index]

    def _new_handle(self) -> str:
        return "".join(self._random.choices(string.ascii_letters + string.digits, k=8))

    # ---- the server

    def _do_api_sync_v2(self, params: Fields) -> Any:
        name, major, minor = params.text("name"), params.whole("major", "int"), params.whole("minor", "int")
        if name != "STL":
            raise Refused(
                f"RPC configuration mismatch - server RPC configuration: 'STL', client RPC configuration: '{name}'"
            )
        apart = f"\n(API type 'STL':  - server: '5.1', client: '{major}.{minor}')"
        if major < 5:
            raise Refused(f"RPC version mismatch: a newer client version is required{apart}")
        if (major, minor) > (5, 1):
            raise Refused(f"Version mismatch: your client version is too new{apart}")
        return {"api_h": self._api_h}

    def _do_api_sync(self, params: Fields) -> Any:
        return {"api_vers": [{"api_h": self._api_h, "type": one["type"]} for one in params.listed("api_vers")]}

    def _do_get_version(self, params: Fields) -> Any:
        return {**_VERSION, "version": "v3.08"}

    def _do_ping(self, params: Fields) -> Any:
        return {"ts": self.now_s}

    def _do_get_supported_cmds(self, params: Fields) -> Any:
        return [name.removeprefix("_do_") for name in dir(self) if name.startswith("_do_")]

    def _do_get_system_info(self, params: Fields) -> Any:
        listed = [_port_info(port, self._driver) for port in reversed(self.ports)]
        return {
            **{"advanced_per_stream_stats": True, "core_type": "Intel(R) Xeon(R) Processor", "dp_core_count": 1},
            **{"dp_core_count_per_port": 1, "hostname": "host", "is_multiqueue_mode": False},
            **{"port_count": len(self.ports), "ports": listed, "uptime": "Nov 22 2026 @ 15:17:17"},
        }

    def _do_get_global_cfg(self, params: Fields) -> Any:
        return self.settings

    def _do_set_global_cfg(self, params: Fields) -> Any:
        self.settings |= {key: value for key, value in params.raw.items() if key in self.settings}

    def _do_get_async_results(self, params: Fields) -> Any:
        params.whole("ticket_id")
        raise Refused(None, -32003)

    def _do_cancel_async_task(self, params: Fields) -> Any:
        params.whole("ticket_id")

    def _do_publish_now(self, params: Fields) -> Any:
        params.whole("key"), params.truth("baseline")
        self.publish_counters()
        self._publish(b"{}")
        return {}

    def publish_counters(self) -> None:
        """Messages that T-Rex publishes twice per second; its clients ignore them."""
        data = {"ts": {"value": int(self.now_s * 1e9), "freq": 1_000_000_000}, **self.statistics.whole()}
        self._publish(pack(json.dumps({"name": "trex-global", "type": 0, "data": data}).encode()))

    def _do_get_async_events(self, params: Fields) -> Any:
        waiting = self.session_queues.setdefault(params.whole("session_id"), [])
        told, waiting[:] = list(waiting), []
        return {"data": told}

    def _tell(self, kind: int, data: dict[str, Any]) -> None:
        """Put an event into every session's queue, with the session's own numbers; then the publisher wakes the
        sessions.
        """
        for session, queue in self.session_queues.items():
            number = self._numbers.get(session, 0)
            self._numbers[session] = number + 1
            queue.append({"data": data, "name": "trex-event", "seq": number, "type": kind})
        self._publish(b"{}")

    def _do_get_tpg_status(self, params: Fields) -> Any:
        if not {"port_id", "username"} & params.raw.keys():
            raise Refused("Should provide at least one between port_id and username to get TPG status")
        off = {"acquired_ports": [], "num_tags": 0, "num_tpgids": 0, "rx_ports": [], "username": "-"}
        return {"data": off, "enabled": False}

    def _do_get_tpg_state(self, params: Fields) -> Any:
        return 0


def _requests(document: Any) -> list[dict[str, Any]]:
    listed = document if isinstance(document, list) else [document]
    for one in listed:
        if not isinstance(one, dict):
            raise Dead(f"a message with {json.dumps(one)[:40]}, which is not an object")
    return listed


def _error(identity: Any, code: int, message: str, specific: str | None = None) -> dict[str, Any]:
    error = {"code": code, "message": message, **({} if specific is None else {"specific_err": specific})}
    return {"error": error, "id": identity, "jsonrpc": "2.0"}


def _port_info(port: Port, driver: str) -> dict[str, Any]:
    kinds = ("fc", "ieee1588", "led", "link", "vxlan")
    return {
        **{"cores": [0], "description": "Unknown", "driver": driver, "hw_mac": port.hw_mac},
        **{"index": port.index, **{f"is_{kind}_supported": False for kind in kinds}, "is_prom_supported": True},
        **{"is_virtual": True, "numa": -1, "pci_addr": "N/A", "stack": "legacy", "supp_speeds": []},
        "rx": {"caps": ["flow_stats", "latency", "rx_bytes", "tpg"], "counters": 1023},
    }
