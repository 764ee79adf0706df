"""The strict fake is like a T-Rex: it answers what one answered, and ends of what one ends of.

Recorded are two sessions of T-Rex's own client and console, and 331 questions with the answers of a v3.08 server.
Masked are times, offsets into a message, handles, and what is measured: of that the structure must be the same.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import zmq
from simulated_trex import SimulatedTrex
from strict_trex import StrictTrex
from trex_answers import Asked, recorded
from trex_fields import Dead, Fields
from trex_streams import read_stream

from wirespeed.client.framing import unpack

DATA = Path(__file__).parent / "data"
MEASURED = {
    *("get_global_stats", "get_port_stats", "get_system_info", "get_version", "ping", "get_utilization"),
    *("get_pgid_stats", "get_port_xstats_names", "get_port_xstats_values", "push_pkts", "api_sync", "api_sync_v2"),
}
DIFFERENT = {
    "get_supported_cmds": "the fake has no network namespaces, no tagged groups and no shutdown",
    "fs bogus rule": "its text depends on the packet that came before",
}
STATUS = ("owner", "state", "state_profile", "profile_count", "max_stream_id", "service", "service_filtered")


class Replay:
    """A fake with a clock of the test, which gets T-Rex's recorded requests with its own handles."""

    def __init__(self, line_bps: float = 10e9) -> None:
        self.time_s = 0.0
        self.trex = StrictTrex(clock=lambda: self.time_s, speed_gbps=line_bps / 1e9)
        self.handles: dict[str, str] = {}
        self.api_h = json.loads(self.trex.handle(_call("api_sync_v2", name="STL", major=5, minor=1)))["result"]["api_h"]
        self.events: list[tuple[int, Any]] = []
        self.recorded_events: list[tuple[int, Any]] = []

    def ask(self, request: Any) -> Any:
        self.time_s += 0.01
        return json.loads(self.trex.handle(json.dumps(self._ours(request)).encode()))

    def _ours(self, request: Any) -> Any:
        if isinstance(request, list):
            return [self._ours(one) for one in request]
        params = request.get("params")
        if not isinstance(params, dict):
            return request
        known = {key: self.handles.get(value, value) for key, value in params.items() if key in ("api_h", "handler")}
        return {**request, "params": {**params, **known}}

    def compare(self, request: dict[str, Any], theirs: dict[str, Any], ours: dict[str, Any]) -> None:
        method = request["method"]
        if "error" in theirs:
            assert masked(ours.get("error")) == masked(theirs["error"])
            return
        assert "result" in ours, f"refused: {ours['error']}"
        expected, got = theirs["result"], ours["result"]
        if method == "acquire":
            self.handles[expected] = got
        elif method in ("api_sync", "api_sync_v2"):
            self.handles[_api_h(expected)] = _api_h(got)
        elif method == "get_async_events":
            self.events += [(one["type"], one["data"]) for one in got["data"]]
            self.recorded_events += [(one["type"], one["data"]) for one in expected["data"]]
        elif method == "get_port_status":
            assert {name: got.get(name) for name in STATUS} == {name: expected.get(name) for name in STATUS}
            assert shape(got) == shape(expected)
        elif method == "capture":
            assert _without_packets(got) == _without_packets(expected)
        elif method == "get_pgid_stats":
            assert shape(got["flow_stats"]) == shape(expected["flow_stats"])
            assert (got["ver_id"] or {}).keys() == (expected["ver_id"] or {}).keys()
        elif method in MEASURED and method not in {"get_port_xstats_names", "get_port_xstats_values"}:
            assert shape(got) == shape(expected)
        elif method not in MEASURED and method != "get_supported_cmds":
            assert masked(got) == masked(expected)


def masked(value: Any) -> Any:
    """Without times and offsets; for lists without an order in T-Rex, their members."""
    if isinstance(value, dict):
        kept = {key: masked(one) for key, one in value.items() if key not in ("ts", "start_ts")}
        return {key: round(one, 4) if isinstance(one, float) else one for key, one in kept.items()}
    if isinstance(value, list):
        return sorted((masked(one) for one in value), key=lambda one: json.dumps(one, sort_keys=True))
    if isinstance(value, str):
        return re.sub(r"offset: \d+", "offset", value).strip()
    return value


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def _without_packets(value: Any) -> Any:
    """Answers about a capture: captures of the fake are empty."""
    if isinstance(value, list):
        return [_without_packets(one) for one in value]
    counts = ("bytes", "count", "matched", "fetched", "pkt_count", "pending", "start_ts")
    return {key: shape(one) if key in counts else one for key, one in value.items() if key != "pkts"}


def _api_h(result: dict[str, Any]) -> str:
    return str(result["api_h"] if "api_h" in result else result["api_vers"][0]["api_h"])


def _call(method: str, **params: Any) -> bytes:
    return json.dumps({"id": 1, "jsonrpc": "2.0", "method": method, "params": params}).encode()


def test_331_questions_get_the_answers_of_a_trex() -> None:
    replay = Replay()
    asked = 0
    for one in recorded():
        if not isinstance(one, Asked):
            replay.time_s += one
            continue
        params = {key: replay.handles.get("$h0", "") if value == "$h0" else value for key, value in one.params.items()}
        request = {"id": 1, "jsonrpc": "2.0", "method": one.method}
        ours = replay.ask({**request, "params": {"api_h": replay.api_h, **params}})
        if one.method == "acquire" and "result" in ours:
            replay.handles["$h0"] = ours["result"]
        if one.what not in DIFFERENT:
            replay.compare(request, one.answer, ours)
        asked += 1
    assert asked == 331
    assert replay.events == replay.recorded_events != []


@pytest.mark.parametrize("name", ["trex_api_session.jsonl", "trex_console_session.jsonl"])
def test_recorded_sessions(name: str) -> None:
    lines = [json.loads(line) for line in (DATA / name).read_text().splitlines()]
    pairs = [(request, answer) for line in lines if "request" in line for request, answer in _pairs(line)]
    status = next(answer["result"] for request, answer in pairs if request["method"] == "get_port_status")
    replay = Replay(status["attr"]["speed"] * 1e9)
    _left_behind(replay, pairs, status["owner"])
    for line in lines:
        if "raw" in line:
            assert json.loads(replay.trex.handle(line["raw"].encode())) == line["response"]
            continue
        for kind, data in _finished(line):
            replay.trex.ports[data["port_id"]].finish(data["profile_id"], replay.trex.now_s)
            assert kind == 14
        ours = replay.ask(line["request"])
        answers = ours if isinstance(ours, list) else [ours]
        assert isinstance(ours, list) == isinstance(line["response"], list)
        for (request, theirs), mine in zip(_pairs(line), answers, strict=True):
            replay.compare(request, theirs, mine)
    assert _by_port(replay.events) == _by_port(replay.recorded_events)


def _pairs(line: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    request, response = line["request"], line["response"]
    if not isinstance(request, list):
        return [(request, response)]
    return list(zip(request, response if isinstance(response, list) else [response], strict=True))


def _left_behind(replay: Replay, pairs: list[tuple[dict[str, Any], dict[str, Any]]], owner: str) -> None:
    """Streams and an owner of an earlier session on the recorded server."""
    for request, answer in pairs:
        if request["method"] == "get_all_streams" and request["params"]["profile_id"] == "*":
            port = replay.trex.ports[request["params"]["port_id"]]
            for number, stream in answer["result"]["profiles"].get("_", {}).items():
                read = read_stream(Fields({"stream_id": int(number), "stream": stream}))
                port.profiles["_"].streams[int(number)] = read
                port.profiles["_"].rest()
            if port.index == 1:
                break
    for port in replay.trex.ports:
        port.owner = owner


def _finished(line: dict[str, Any]) -> list[tuple[int, Any]]:
    if isinstance(line["request"], dict) and line["request"]["method"] == "get_async_events":
        return [(one["type"], one["data"]) for one in line["response"]["result"]["data"] if one["type"] == 14]
    return []


def _by_port(events: list[tuple[int, Any]]) -> dict[int, list[tuple[int, Any]]]:
    """In order, per port: the order of ports depends on the time of the client's request."""
    ports: dict[int, list[tuple[int, Any]]] = {}
    for kind, data in events:
        ports.setdefault(data["port_id"], []).append((kind, data))
    return ports


@pytest.mark.parametrize("method", ["get_port_status", "get_stream_list", "remove_stream", "validate"])
def test_it_ends_of_an_unknown_profile(method: str) -> None:
    replay = Replay()
    handler = replay.ask(_request(replay, "acquire", port_id=0, user="a", session_id=1, force=False))["result"]
    with pytest.raises(Dead, match="profile 'zz'"):
        replay.ask(_request(replay, method, port_id=0, handler=handler, profile_id="zz", stream_id=1, block=False))


@pytest.mark.parametrize("message", ['"a string"', "5", '[{"id": 1, "jsonrpc": "2.0", "method": "ping"}, 5]', "[[]]"])
def test_it_ends_of_what_is_no_object(message: str) -> None:
    with pytest.raises(Dead):
        StrictTrex().handle(message.encode())


def test_it_ends_of_an_8_byte_variable_over_its_whole_range() -> None:
    whole = {"type": "flow_var", "name": "a", "size": 8, "op": "inc", "step": 1, "min_value": 0}
    whole |= {"max_value": (1 << 64) - 1, "init_value": 0}
    stream = _plain_stream()
    with pytest.raises(Dead):
        read_stream(Fields({"stream_id": 1, "stream": {**stream, "vm": {"instructions": [whole], "cache": 0}}}))


def test_an_event_wakes_its_listeners_once_and_counters_come_beside() -> None:
    """As recorded: counters and a bare {} at publish_now, two of the latter for a start (the profile,
    then the port).
    """
    said: list[bytes] = []
    trex = StrictTrex(publish=said.append)
    api_h = json.loads(trex.handle(_call("api_sync_v2", name="STL", major=5, minor=1)))["result"]["api_h"]
    trex.handle(_call("publish_now", api_h=api_h, key=1, baseline=False))
    counters, bare = said
    assert (json.loads(unpack(counters)[0])["name"], bare) == ("trex-global", b"{}")
    said.clear()
    acquired = json.loads(trex.handle(_call("acquire", api_h=api_h, port_id=0, user="a", session_id=1, force=False)))
    owned = {"api_h": api_h, "port_id": 0, "handler": acquired["result"]}
    trex.handle(_call("add_stream", **owned, stream_id=1, stream=_plain_stream()))
    mul = {"type": "pps", "op": "abs", "value": 1000}
    trex.handle(_call("start_traffic", **owned, mul=mul, duration=-1, force=False, core_mask=1))
    assert said == [b"{}"] * 3  # acquired; profile started; port started


def test_a_server_that_was_killed_says_of_what() -> None:
    with pytest.raises(AssertionError, match="would have died of a message with 5"), SimulatedTrex() as server:
        socket = zmq.Context.instance().socket(zmq.REQ)
        socket.setsockopt(zmq.LINGER, 0)
        socket.connect(f"tcp://{server.server}")
        socket.send(b"5")
        assert not socket.poll(200)
        socket.close()


def test_sent_and_received_are_read_apart_and_settle() -> None:
    replay = Replay()
    handler = replay.ask(_request(replay, "acquire", port_id=0, user="a", session_id=1, force=False))["result"]
    stream = _plain_stream()
    mul = {"type": "pps", "op": "abs", "value": 1e6}
    replay.ask(_request(replay, "add_stream", port_id=0, handler=handler, stream_id=1, stream=stream))
    replay.ask(
        _request(replay, "start_traffic", port_id=0, handler=handler, mul=mul, duration=-1, force=False, core_mask=1)
    )
    apart = []
    for _ in range(20):
        replay.time_s += 1
        apart.append(_counter(replay, 0, "opackets") - _counter(replay, 1, "ipackets"))
    assert any(apart) and max(map(abs, apart)) <= 0.004 * 1e6 + 0.01 * 1e6 + 1  # asked one after the other
    replay.ask(_request(replay, "stop_traffic", port_id=0, handler=handler))
    replay.time_s += 1
    assert _counter(replay, 0, "opackets") == _counter(replay, 1, "ipackets") > 0


def _plain_stream() -> dict[str, Any]:
    return dict(next(one.params["stream"] for one in recorded() if isinstance(one, Asked) and one.what == "add ok"))


def _request(replay: Replay, method: str, **params: Any) -> dict[str, Any]:
    return {"id": 1, "jsonrpc": "2.0", "method": method, "params": {"api_h": replay.api_h, **params}}


def _counter(replay: Replay, port: int, name: str) -> int:
    return int(replay.ask(_request(replay, "get_port_stats", port_id=port))["result"][name])
