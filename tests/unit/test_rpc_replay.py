"""Recorded sessions of T-Rex's own client and console, replayed on wirespeed's server.

Each recorded request goes to a server with a fake core; API handle and port handlers are replaced. Answers must agree:
equal where the requests determine them, with equal structure where they are measured. The recordings leave out polls of
a capture without packets.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_generator import FakeGenerator

from wirespeed.client.framing import pack, unpack
from wirespeed.generator.events import EventKind
from wirespeed.generator.server import Server

DATA = Path(__file__).parent / "data"
MEASURED = {
    "get_global_stats",
    "get_port_stats",
    "get_port_xstats_names",
    "get_port_xstats_values",
    "get_system_info",
    "get_utilization",
    "get_version",
    "ping",
    "push_pkts",
}
STATUS_FIELDS = ("owner", "state", "state_profile", "profile_count", "max_stream_id", "service", "service_filtered")


def recorded(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


class Replay:
    """Sends recorded requests with this server's handles in place of T-Rex's, and stores both sides' events."""

    def __init__(self, first_status: dict[str, Any]) -> None:
        self.core = FakeGenerator(ports=2, speed_bps=int(first_status["attr"]["speed"] * 1e9))
        self.server = Server(self.core)
        self.api_h: dict[str, str] = {}
        self.handlers: dict[str, str] = {}
        self.captures: dict[int, int] = {}
        self.our_events: list[tuple[int, dict[str, Any]]] = []
        self.their_events: list[tuple[int, dict[str, Any]]] = []

    def leave_streams(self, port: int, streams: dict[str, Any]) -> None:
        """Streams that an earlier session left on the recorded server."""
        for stream_id, stream in streams.items():
            self.server.ports[port].add_stream("_", int(stream_id), stream)

    def send(self, request: Any) -> Any:
        payload, compressed = unpack(self.server.handle(pack(json.dumps(self._ours(request)).encode())))
        assert compressed
        self.core.advance(0.3)
        self.server.tick()
        return json.loads(payload)

    def _ours(self, request: Any) -> Any:
        if isinstance(request, list):
            return [self._ours(member) for member in request]
        params = request.get("params")
        if params is None:
            return request
        changed = dict(params)
        names: tuple[tuple[str, dict[Any, Any]], ...] = (
            ("api_h", self.api_h),
            ("handler", self.handlers),
            ("capture_id", self.captures),
        )
        for key, known in names:
            if key in changed:
                changed[key] = known.get(changed[key], changed[key])
        return request | {"params": changed}

    def learn(self, request: dict[str, Any], theirs: Any, ours: Any) -> None:
        match request["method"]:
            case "api_sync_v2":
                self.api_h[theirs["api_h"]] = ours["api_h"]
            case "acquire":
                self.handlers[theirs] = ours
            case "capture" if request["params"]["command"] == "start":
                self.captures[theirs["capture_id"]] = ours["capture_id"]
            case "get_async_events":
                self.their_events += [(event["type"], event["data"]) for event in theirs["data"]]
                self.our_events += [(event["type"], event["data"]) for event in ours["data"]]


def compare(replay: Replay, request: dict[str, Any], theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    assert ours["id"] == theirs["id"]
    assert ours["jsonrpc"] == "2.0"
    if "error" in theirs:
        compare_errors(theirs["error"], ours["error"])
        return
    assert "result" in ours, f"{request} is refused: {ours['error']}"
    method, expected, got = request["method"], theirs["result"], ours["result"]
    replay.learn(request, expected, got)
    if method in MEASURED:
        assert_has_shape_of(got, expected)
    elif method in ("api_sync", "api_sync_v2", "acquire"):
        assert_same_shape(got, expected)
    elif method == "get_port_status":
        assert_has_shape_of(got, expected)
        assert {name: got[name] for name in STATUS_FIELDS} == {name: expected[name] for name in STATUS_FIELDS}
    elif method == "start_traffic":
        assert got.keys() == expected.keys()
        assert got["multiplier"] == pytest.approx(expected["multiplier"])
    elif method == "get_pgid_stats":
        for part in ("flow_stats", "ver_id"):  # the fake core times no packets
            assert_has_shape_of(got[part], expected[part])
    elif method == "capture":
        compare_capture(request["params"]["command"], got, expected)
    elif method == "validate":
        compare_validation(got, expected)
    elif method == "get_stream_list":
        assert sorted(got) == sorted(expected)
    elif method == "get_supported_cmds":
        assert {"add_stream", "start_traffic", "get_pgid_stats"} <= set(got) <= set(expected)
    elif method != "get_async_events":
        assert got == expected


def compare_errors(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    assert (ours["code"], ours["message"]) == (theirs["code"], theirs["message"])
    if "invalid port id" in theirs.get("specific_err", ""):  # T-Rex prints the valid ids as control characters
        assert ours["specific_err"] == "invalid port id - should be: 0 1"
    else:
        assert ours.get("specific_err", "").strip() == theirs.get("specific_err", "").strip()


def compare_capture(command: str, got: Any, expected: Any) -> None:
    """The fake core passes no packets on, so only the kind of captured data is compared."""
    if command == "fetch":
        assert_same_shape({**got, "pkts": None}, {**expected, "pkts": None})
    elif command == "status":
        assert [one["filter"] | {"bpf": ""} for one in got] == [one["filter"] | {"bpf": ""} for one in expected]
        assert_has_shape_of(got, expected)
    else:
        assert_has_shape_of(got, expected)


def compare_validation(got: dict[str, Any], expected: dict[str, Any]) -> None:
    # T-Rex rounds the line's share differently in the fourth digit.
    assert got["rate"] == pytest.approx(expected["rate"], rel=1e-3)
    assert got["graph"]["expected_duration"] == expected["graph"]["expected_duration"]
    assert got["graph"]["events_count"] == expected["graph"]["events_count"]
    for event in expected["graph"]["events"]:
        (mine,) = [one for one in got["graph"]["events"] if one["stream_id"] == event["stream_id"]]
        assert mine == pytest.approx(event)


def assert_has_shape_of(got: Any, expected: Any) -> None:
    """Every key of T-Rex's answer exists with the same type; additional keys are allowed."""
    if isinstance(expected, dict) and isinstance(got, dict) and "64b" not in expected:
        for key, value in expected.items():
            assert key in got, key
            assert_has_shape_of(got[key], value)
    elif isinstance(expected, list) and expected and isinstance(expected[0], dict):
        assert len(got) == len(expected)
        for mine, theirs in zip(got, expected, strict=True):
            assert_has_shape_of(mine, theirs)
    else:
        assert kind_of(got) is kind_of(expected), (got, expected)


def assert_same_shape(got: Any, expected: Any) -> None:
    assert_has_shape_of(got, expected)
    assert_has_shape_of(expected, got)


def kind_of(value: Any) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def pairs(line: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    request, response = line["request"], line["response"]
    if not isinstance(request, list):
        return [(request, response)]
    return list(zip(request, response if isinstance(response, list) else [response], strict=True))


@pytest.mark.parametrize("name", ["trex_api_session.jsonl", "trex_console_session.jsonl"])
def test_recorded_session_gets_the_answers_it_got(name: str) -> None:
    lines = recorded(name)
    by_method = [(request, response) for line in lines if "request" in line for request, response in pairs(line)]
    replay = Replay(next(answer["result"] for request, answer in by_method if request["method"] == "get_port_status"))
    left = {
        request["params"]["port_id"]: answer["result"]["profiles"].get("_", {})
        for request, answer in reversed(by_method)
        if request["method"] == "get_all_streams" and request["params"].get("profile_id") == "*"
    }
    for port, streams in left.items():
        replay.leave_streams(port, streams)
    owner = next(answer["result"]["owner"] for request, answer in by_method if request["method"] == "get_port_status")
    if owner:
        for port in replay.server.ports:
            port.acquire(owner, 1, force=False)
    for line in lines:
        if "raw" in line:
            assert json.loads(replay.server.handle(line["raw"].encode())) == line["response"]
            continue
        for event in events_of(line):
            if event["type"] == EventKind.PROFILE_FINISHED:
                replay.core.finish(event["data"]["port_id"])
                replay.server.tick()
        ours = replay.send(line["request"])
        assert isinstance(ours, list) == isinstance(line["response"], list)
        answers = ours if isinstance(ours, list) else [ours]
        for (request, theirs), mine in zip(pairs(line), answers, strict=True):
            compare(replay, request, theirs, mine)
    assert by_port(replay.our_events) == by_port(replay.their_events)


def events_of(line: dict[str, Any]) -> list[dict[str, Any]]:
    if isinstance(line["request"], dict) and line["request"]["method"] == "get_async_events":
        events: list[dict[str, Any]] = line["response"]["result"]["data"]
        return events
    return []


def by_port(events: list[tuple[int, dict[str, Any]]]) -> dict[int, list[tuple[int, dict[str, Any]]]]:
    """Events in order, per port: the order of ports depends on the time of the client's request."""
    ports: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for kind, data in events:
        ports.setdefault(data["port_id"], []).append((kind, data))
    return ports
