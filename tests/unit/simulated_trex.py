"""A T-Rex stateless server small enough for unit tests: real ZeroMQ, real framing, simulated wire and DUT.

Two ports, each looped to the other through a device that forwards at most `capacity_pps` in each direction, after
`latency_s`, and holds `buffer_frames` of what comes faster. Counters follow from the history of rates and the clock, so
tests need not run in step with it. With `extended` it speaks as our generator does: a virtual wire refuses what the
device does not take, and every port says what it was asked for. Without, it speaks as a T-Rex on a NIC: all is sent,
the device drops.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import zmq

from wirespeed.client.framing import pack, unpack
from wirespeed.units import l1_bits

API_HANDLE = "simulated"

RATED = {"handler", "port_id", "profile_id", "mul", "force"}
NEEDED = {
    "acquire": {"port_id", "user", "session_id", "force"},
    "release": {"port_id", "handler"},
    "add_stream": {"port_id", "handler", "profile_id", "stream_id", "stream"},
    "start_traffic": RATED | {"duration", "core_mask", "start_at_ts"},
    "update_traffic": RATED,
    "stop_traffic": {"port_id", "handler", "profile_id"},
    "remove_all_streams": {"port_id", "handler", "profile_id"},
    "resume_streams": {"port_id", "handler", "profile_id", "stream_ids"},
    "get_port_status": {"port_id", "block", "profile_id"},
    "get_port_stats": {"port_id"},
}
"""What T-Rex's own client sends with each method, beside the API handle."""

STREAM_NEEDED = "enabled self_start flags action_count isg next_stream_id mode packet vm flow_stats"


class RpcError(Exception):
    def __init__(self, text: str, code: int = -32000) -> None:
        super().__init__(text)
        self.code = code


@dataclass
class SimulatedPort:
    owner: str = ""
    session: int = 0
    handler: str = ""
    streams: dict[int, dict[str, Any]] = field(default_factory=dict)
    active: bool = False
    history: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 0.0)])
    rates_asked: list[float] = field(default_factory=list)
    ends_s: float | None = None
    outages: list[tuple[float, float]] = field(default_factory=list)

    @property
    def frame_bytes(self) -> float:
        def size(stream: dict[str, Any]) -> int:
            return max(60, len(base64.b64decode(stream["packet"]["binary"]))) + 4

        if not self.streams:
            return 64.0
        weights = [stream["mode"]["rate"]["value"] for stream in self.streams.values()]
        sizes = [size(stream) for stream in self.streams.values()]
        return sum(w * s for w, s in zip(weights, sizes, strict=True)) / sum(weights)

    def set_pps(self, pps: float) -> None:
        self.rates_asked.append(pps)
        self.history.append((time.monotonic(), pps))

    def end_if_due(self, now_s: float) -> None:
        """Traffic of a duration ends at its instant, whenever somebody looks."""
        if self.active and self.ends_s is not None and now_s >= self.ends_s:
            self.active = False
            self.history.append((self.ends_s, 0.0))

    def packets(self, until_s: float, most_pps: float = float("inf")) -> int:
        """What the history of rates comes to at `until_s` if no more than `most_pps` are sent."""
        return int(self.through(until_s, most_pps, float("inf"))[0])

    def through(
        self, until_s: float, most_pps: float, cap_pps: float, buffer_frames: float = 0.0
    ) -> tuple[float, float]:
        """What a device took that passes `cap_pps` and holds `buffer_frames`, and what it has passed on; nothing of
        what came while it was gone."""
        taken = queue = 0.0
        gone = 0.0
        ends = [since for since, _ in self.history[1:]] + [until_s]
        for (since, pps), end in zip(self.history, ends, strict=True):
            seconds = max(0.0, min(end, until_s) - since)
            sent = int(min(pps, most_pps) * seconds)  # whole ones, so that no account rounds apart from another
            away = sum(max(0.0, min(end, until_s, last) - max(since, first)) for first, last in self.outages)
            gone += min(pps, most_pps, cap_pps) * away
            if seconds <= 0 or cap_pps == float("inf"):
                taken += sent
                continue
            piled = max(0.0, queue + sent - cap_pps * seconds)
            queue, dropped = min(piled, buffer_frames), max(0.0, piled - buffer_frames)
            taken += sent - dropped
        return taken, taken - queue - gone


class SimulatedTrex:
    """Use as a context manager; `server` is its HOST:PORT."""

    def __init__(
        self,
        *,
        extended: bool = True,
        capacity_pps: float = float("inf"),
        tester_pps: float = float("inf"),
        speed_gbps: float = 10.0,
        latency_s: float = 0.0,
        silent: tuple[int, ...] = (),
        no_link: tuple[int, ...] = (),
        dies_after: int | None = None,
        noise_pps: float = 0.0,
        buffer_frames: float = 0.0,
    ) -> None:
        """`noise_pps` are frames of others that each port receives beside what the device returns."""
        self.extended = extended
        self.capacity_pps = capacity_pps
        self.tester_pps = tester_pps
        self.speed_gbps = speed_gbps
        self.latency_s = latency_s
        self.silent = silent
        self.no_link = no_link
        self.dies_after = dies_after
        self.noise_pps = noise_pps
        self.buffer_frames = buffer_frames
        self.began_s = time.monotonic()
        self.ports: tuple[SimulatedPort, ...] = (SimulatedPort(), SimulatedPort())
        self.unstamped = False
        self.on_stop: Callable[[], object] = lambda: None
        self.methods: list[str] = []
        self.messages: list[list[str]] = []
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self.server = f"127.0.0.1:{self._socket.bind_to_random_port('tcp://127.0.0.1')}"
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._ending.set()
        self._thread.join()
        self._socket.close()
        self._context.term()

    @property
    def idle(self) -> bool:
        """Nothing is sent, and nobody holds a port or left a stream behind."""
        return not any(port.active or port.owner or port.streams for port in self.ports)

    def _serve(self) -> None:
        while not self._ending.is_set():
            if not self._socket.poll(20):
                continue
            payload, packed = unpack(self._socket.recv())
            if self.dies_after is not None and len(self.messages) >= self.dies_after:
                return
            request = json.loads(payload)
            calls = request if isinstance(request, list) else [request]
            self.messages.append([call["method"] for call in calls])
            now_s = time.monotonic()
            answers = [self._answer(call, now_s) for call in calls]
            text = json.dumps(answers if len(answers) > 1 else answers[0]).encode()
            self._socket.send(pack(text) if packed else text)

    def _answer(self, call: dict[str, Any], now_s: float) -> dict[str, Any]:
        self.methods.append(call["method"])
        head = {"id": call["id"], "jsonrpc": "2.0"}
        try:
            return head | {"result": self._run(call["method"], call["params"], now_s)}
        except RpcError as error:
            message = "Failed To Execute Method" if error.code == -32000 else str(error)
            specific = {"specific_err": str(error)} if error.code == -32000 else {}
            return head | {"error": {"code": error.code, "message": message, **specific}}

    def _run(self, method: str, params: dict[str, Any], now_s: float) -> Any:
        for port in self.ports:
            port.end_if_due(now_s)
        if method not in ("api_sync_v2", "get_version") and params.get("api_h") != API_HANDLE:
            raise RpcError("API verification failed - API handler provided mismatch for class: 'common'")
        if missing := NEEDED.get(method, set()) - set(params):
            raise RpcError(f"Bad parameters for method: {sorted(missing)}", -32602)
        match method:
            case "api_sync_v2":
                if (params["name"], params["major"]) != ("STL", 5):
                    raise RpcError("RPC version mismatch: a newer client version is required")
                return {"api_h": API_HANDLE}
            case "get_version":
                return {"version": "v3.08", "mode": "STL"}
            case "get_system_info":
                ports = [{"index": i, "driver": "net_memif", "hw_mac": f"02:00:00:00:00:0{i}"} for i in (1, 0)]
                return {"port_count": len(self.ports), "ports": ports[: len(self.ports)]}
            case "ping" if not self.extended:
                return {"ts": now_s - 500.0}
            case "get_global_stats" if not self.extended:
                return {"m_cpu_util": 12.5, "m_total_queue_full": 3, "m_active_flows": 0.0}
            case "get_port_status" | "get_port_stats" | "acquire":
                return getattr(self, f"_{method}")(params["port_id"], params, now_s)
            case "get_pgid_stats":
                return self._pgid_stats(params["pgids"], now_s)
            case "set_port_attr":
                raise RpcError("attribute 'flow_ctrl_mode' is not supported for this NIC")
            case (
                "add_stream"
                | "remove_all_streams"
                | "start_traffic"
                | "update_traffic"
                | "resume_streams"
                | "stop_traffic"
                | "release"
            ):
                port = self.ports[params["port_id"]]
                if not port.owner:
                    raise RpcError("please acquire the port before modifying port state")
                if params["handler"] != port.handler:
                    raise RpcError("port is not owned by you or your current executing session")
                return getattr(self, f"_{method}")(port, params)
        raise RpcError(f"Method {method} not registered", -32601)

    def _acquire(self, index: int, params: dict[str, Any], _: float) -> str:
        port = self.ports[index]
        if port.owner and not params["force"]:
            if port.owner != params["user"]:
                raise RpcError(f"port is already taken by '{port.owner}'")
            if port.session != params["session_id"]:
                raise RpcError(f"port is already taken by another session of '{port.owner}'")
        port.owner, port.session = params["user"], params["session_id"]
        port.handler = f"{index}{len(self.methods):07}"
        return port.handler

    def _release(self, port: SimulatedPort, _: dict[str, Any]) -> dict[str, Any]:
        port.owner = port.handler = ""
        return {}

    def _get_port_status(self, index: int, _: dict[str, Any], __: float) -> dict[str, Any]:
        port = self.ports[index]
        state = "TX" if port.active else "STREAMS" if port.streams else "IDLE"
        return {
            "owner": port.owner,
            "state": state,
            "attr": {"speed": self.speed_gbps, "link": {"up": index not in self.no_link}},
        }

    def _add_stream(self, port: SimulatedPort, params: dict[str, Any]) -> dict[str, Any]:
        if missing := set(STREAM_NEEDED.split()) - set(params["stream"]):
            raise RpcError(f"Bad parameters for method: {sorted(missing)}", -32602)
        if params["stream_id"] in port.streams:
            raise RpcError(f"stream {params['stream_id']} already exists in profile_id(_)")
        port.streams[params["stream_id"]] = params["stream"]
        return {}

    def _remove_all_streams(self, port: SimulatedPort, _: dict[str, Any]) -> dict[str, Any]:
        if port.active:
            raise RpcError("command 'remove_all_streams' cannot be executed on current state: 'TX'")
        port.streams.clear()
        return {}

    def _start_traffic(self, port: SimulatedPort, params: dict[str, Any]) -> dict[str, Any]:
        if not port.streams:
            raise RpcError("command 'start' cannot be executed on current state: 'IDLE on profile_id(_).'")
        if self.ports.index(port) in self.no_link and not params["force"]:
            raise RpcError("Link is down on port")
        port.active = True
        answer = self._update_traffic(port, params)
        port.ends_s = port.history[-1][0] + params["duration"] if params["duration"] > 0 else None
        return answer

    def _update_traffic(self, port: SimulatedPort, params: dict[str, Any]) -> dict[str, Any]:
        mul, bits = params["mul"], l1_bits(port.frame_bytes)
        line_pps = self.speed_gbps * 1e9 / bits
        pps = {
            "pps": mul["value"],
            "bps": mul["value"] / (port.frame_bytes * 8),
            "bpsl1": mul["value"] / bits,
            "percentage": mul["value"] / 100 * line_pps,
        }[mul["type"]]
        if mul["op"] != "abs" or pps <= 0:
            raise RpcError("illegal multiplier")
        if self.speed_gbps and pps > line_pps * 1.0001:
            raise RpcError("Expected L1 B/W: 'X Gbps' exceeds port line rate: 'Y Gbps'")
        port.set_pps(pps)
        return {"multiplier": pps}

    def _resume_streams(self, port: SimulatedPort, params: dict[str, Any]) -> dict[str, Any]:
        if not port.active:
            raise RpcError("command 'resume_streams' cannot be executed on current state: 'STREAMS on profile_id(_).")
        if not set(params["stream_ids"]) <= set(port.streams):
            raise RpcError("resume_streams: stream does not exists in profile_id(_)")
        return {}

    def _stop_traffic(self, port: SimulatedPort, _: dict[str, Any]) -> dict[str, Any]:
        if port.active:
            self.on_stop()
            port.active = False
            port.set_pps(0.0)
        return {}

    def _pgid_stats(self, groups: list[int], now_s: float) -> dict[str, Any]:
        """As T-Rex has them; every packet of a latency group takes 40 us, and one is seen each millisecond."""
        flows: dict[str, Any] = {}
        latency: dict[str, Any] = {"g": None}
        for index, port in enumerate(self.ports):
            for stream in port.streams.values():
                flow = stream["flow_stats"]
                if not flow["enabled"] or flow["stream_id"] not in groups:
                    continue
                name = str(flow["stream_id"])
                if flow["rule_type"] == "stats":
                    back = int(self._through(port, now_s - self.latency_s)[1])
                    flows[name] = {"rp": {str(1 - index): back, str(index): 0}}
                elif len(port.history) > 1:
                    seen = int((now_s - self.began_s) * 1000)
                    times = {"total_min": 40, "total_max": 42, "average": 41, "jit": 1, "histogram": {"40": seen}}
                    latency[name] = {"lat": times, "er": {"drp": 3}}
        return {"flow_stats": flows or None, "latency": latency, "ver_id": None}

    def _through(self, port: SimulatedPort, until_s: float) -> tuple[float, float]:
        """Of what a port sent, what the device took and what it passed on."""
        return port.through(until_s, self.tester_pps, self.capacity_pps, self.buffer_frames)

    def _get_port_stats(self, index: int, _: dict[str, Any], now_s: float) -> dict[str, Any]:
        port, peer = self.ports[index], self.ports[1 - index]
        asked = port.packets(now_s)
        punctual = port.packets(now_s, self.tester_pps)
        sent = int(self._through(port, now_s)[0]) if self.extended else punctual
        back = int(self._through(peer, now_s - self.latency_s)[1])
        received = 0 if index in self.silent else back + int((now_s - self.began_s) * self.noise_pps)
        counters: dict[str, Any] = {"opackets": sent, "ipackets": received, "oerrors": 0, "ierrors": 0}
        counters |= {
            "obytes": int(sent * port.frame_bytes),
            "ibytes": int(received * peer.frame_bytes),
            "m_cpu_util": 0.0,
        }
        if self.extended:
            counters |= {"asked_packets": asked, "refused_packets": punctual - sent, "late_packets": asked - punctual}
            counters |= {"rx_missed": 0}
            if not self.unstamped:
                counters["ts"] = now_s + 1000.0
        return counters
