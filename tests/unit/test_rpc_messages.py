"""JSON-RPC messages: framing, batches, and all kinds of invalid requests."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from fake_generator import FakeGenerator
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.client.framing import MAX_MESSAGE_BYTES, pack, unpack
from wirespeed.generator.rpc import answer
from wirespeed.generator.server import Server

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}


@pytest.fixture
def server() -> Server:
    return Server(FakeGenerator())


def ask(server: Server, request: Any) -> Any:
    return json.loads(server.handle(json.dumps(request).encode()))


def error_of(server: Server, request: Any) -> tuple[int, str, str | None]:
    error = ask(server, request)["error"]
    return error["code"], error["message"], error.get("specific_err")


def test_answer_is_compressed_exactly_when_the_request_was(server: Server) -> None:
    plain = json.dumps(PING).encode()
    assert json.loads(server.handle(plain))["result"]
    payload, compressed = unpack(server.handle(pack(plain)))
    assert compressed
    assert json.loads(payload)["result"]


def test_batch_is_answered_in_order_and_a_batch_of_one_unwrapped(server: Server) -> None:
    replies = ask(server, [PING, {"jsonrpc": "2.0", "id": "b", "method": "nope", "params": {}}, PING | {"id": 3}])
    assert [reply["id"] for reply in replies] == [1, "b", 3]
    assert ["error" in reply for reply in replies] == [False, True, False]
    assert ask(server, [PING])["id"] == 1


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({}, (-32600, "Invalid JSONRPC Version", None)),
        (5, (-32600, "Invalid JSONRPC Version", None)),
        ([], (-32600, "Empty batch", None)),
        (PING | {"id": None}, (-32600, "Missing 'id' field", None)),
        (PING | {"method": 7}, (-32600, "Missing Method Name", None)),
        (PING | {"params": []}, (-32000, "Failed To Execute Method", "JSON-RPC2 params should be object in TRex case")),
        (PING | {"method": "fly"}, (-32601, "Method fly not registered", None)),
    ],
)
def test_requests_that_are_none(server: Server, request_: Any, error: tuple[int, str, str | None]) -> None:
    assert error_of(server, request_) == error


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"NaN",
        b'{"id": Infinity}',
        b"[" * 100_000,
        b"1" * 5000,
        b'{"jsonrpc": "2.0", ',
        b"1e999",
        b"-1e999",
    ],
)
def test_what_is_no_json(server: Server, payload: bytes) -> None:
    for message in (payload, pack(payload)):
        reply = json.loads(unpack(server.handle(message))[0])
        assert reply["error"] == {"code": -32700, "message": "Bad JSON Format"}
        assert reply["id"] is None


@pytest.mark.parametrize(
    "payload",
    [
        b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping", "params": {}}',
        b'[{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}, {"id": -1E+400}]',
        b'{"jsonrpc": "2.0", "id": 1, "method": "add_stream", "params": {"stream": {"unknown": [1e999]}}}',
    ],
)
def test_infinite_numbers_are_no_json(server: Server, payload: bytes) -> None:
    assert json.loads(server.handle(payload))["error"]["code"] == -32700


def test_an_answer_that_json_cannot_write_is_an_internal_error(capsys: pytest.CaptureFixture[str]) -> None:
    reply = json.loads(answer(json.dumps([PING, PING]).encode(), lambda name, params: {"rate": float("inf")}))
    assert [(one["id"], one["error"]["code"]) for one in reply] == [(1, -32603), (1, -32603)]
    assert "internal error" in capsys.readouterr().err


def test_messages_beyond_the_limit_are_refused(server: Server) -> None:
    for message in (b" " * (MAX_MESSAGE_BYTES + 1), pack(b" " * (MAX_MESSAGE_BYTES + 1))):
        reply = json.loads(server.handle(message))
        assert reply["error"]["code"] == -32603
        assert str(MAX_MESSAGE_BYTES) in reply["error"]["specific_err"]


def test_answers_beyond_the_limit_are_an_error() -> None:
    reply = json.loads(answer(json.dumps(PING).encode(), lambda name, params: "x" * MAX_MESSAGE_BYTES))
    assert reply["error"]["code"] == -32603
    assert "ask for less" in reply["error"]["specific_err"]


def test_a_batch_ends_where_its_answers_are_too_long() -> None:
    ran: list[str] = []

    def invoke(name: str, params: Any) -> Any:
        ran.append(name)
        return {"streams": {str(number): "x" * 1000 for number in range(600)}}

    reply = json.loads(answer(json.dumps([PING] * 500).encode(), invoke))
    assert len(ran) == 2
    assert reply["error"]["code"] == -32603
    assert "2 of 500 requests" in reply["error"]["specific_err"]


@given(
    value=st.recursive(
        st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    )
)
@settings(deadline=None)
def test_answers_are_what_json_makes_of_them(value: Any) -> None:
    reply = answer(json.dumps(PING).encode(), lambda name, params: value)
    assert reply.decode() == json.dumps({"jsonrpc": "2.0", "id": 1, "result": value}, separators=(",", ":"))


def test_a_long_answer_is_not_made_before_it_is_refused() -> None:
    """It would be 600 MB of JSON."""
    streams = {number: {"packet": "x" * 100_000} for number in range(6000)}
    tracemalloc.start()
    try:
        reply = json.loads(answer(json.dumps(PING).encode(), lambda name, params: {"streams": streams}))
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()
    assert reply["error"]["code"] == -32603


def test_a_fault_of_ours_is_an_answer_too(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.core.now_s = lambda: 1 / 0  # type: ignore[method-assign]
    assert error_of(server, PING) == (-32603, "Internal Server Error", "ZeroDivisionError: division by zero")
    assert "internal error in ping" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("params", "specific"),
    [
        ({}, "field 'api_h' value is null"),
        ({"api_h": 5}, "'api_h' is 'int', expecting 'string'"),
        ({"api_h": None}, "field 'api_h' value is null"),
        ({"api_h": "right"}, "field 'port_id' value is null"),
        ({"api_h": "right", "port_id": "0"}, "'port_id' is 'string', expecting 'byte'"),
        ({"api_h": "right", "port_id": True}, "'port_id' is 'bool', expecting 'byte'"),
        ({"api_h": "right", "port_id": 0.5}, "'port_id' is 'double', expecting 'byte'"),
        ({"api_h": "right", "port_id": -1}, "'port_id' is 'int', expecting 'byte'"),
        ({"api_h": "right", "port_id": 1 << 32}, "'port_id' has size bigger than uint8."),
        ({"api_h": "right", "port_id": {}}, "'port_id' is 'object', expecting 'byte'"),
        ({"api_h": "right", "port_id": 0}, "field 'user' value is null"),
        ({"api_h": "right", "port_id": 0, "user": []}, "'user' is 'array', expecting 'string'"),
    ],
)
def test_parameters_are_checked(server: Server, params: dict[str, Any], specific: str) -> None:
    given_params = params | ({"api_h": server.api_h} if params.get("api_h") == "right" else {})
    request = {"jsonrpc": "2.0", "id": 1, "method": "acquire", "params": given_params}
    assert error_of(server, request) == (-32602, "Bad parameters for method", specific)


@pytest.mark.parametrize(
    ("method", "params", "specific"),
    [
        ("acquire", {"user": "x" * 256, "session_id": 1, "force": True}, "field 'user' has 256 characters, expecting"),
        (
            "add_stream",
            {"profile_id": "x" * 256, "stream_id": 1, "stream": {}},
            "field 'profile_id' has 256 characters",
        ),
        ("push_remote", {"pcap_filename": "x" * 4096}, "field 'pcap_filename' has 4096 bytes, expecting at most 4095"),
        ("shutdown", {"user": "x" * 256}, "field 'user' has 256 characters"),
    ],
)
def test_names_too_long_or_strange_are_refused(
    server: Server, method: str, params: dict[str, Any], specific: str
) -> None:
    own = {"api_h": server.api_h, "port_id": 0, "handler": server.ports[0].acquire("me", 1, force=False)}
    code, _, said = error_of(server, PING | {"method": method, "params": own | params})
    assert code == (-32000 if method == "add_stream" else -32602)
    assert said is not None and specific in said


def test_only_the_open_methods_go_without_a_handle(server: Server) -> None:
    for name in ("ping", "get_version"):
        assert "result" in ask(server, PING | {"method": name})
    supported = ask(server, PING | {"method": "get_supported_cmds", "params": {"api_h": server.api_h}})["result"]
    for name in set(supported) - {"ping", "get_version"}:
        code, _, specific = error_of(server, PING | {"method": name})
        assert code == -32602
        assert specific and specific.endswith("value is null")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = ["port_id", "handler", "user", "session_id", "force", "stream_id", "stream", "mul", "duration", "profile_id"]


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_no_parameters_bring_the_server_down(data: st.DataObject) -> None:
    core = FakeGenerator()
    server = Server(core)
    request = {"jsonrpc": "2.0", "id": 1, "params": {"api_h": server.api_h}}
    commands = ask(server, request | {"method": "get_supported_cmds"})["result"]
    handler = server.ports[0].acquire("me", 1, force=False)
    for _ in range(3):
        extra = data.draw(st.dictionaries(st.sampled_from([*NAMES, "attr", "stream_ids", "type", "enabled"]), VALUES))
        params = {"api_h": server.api_h, "port_id": 0, "handler": handler} | extra
        request_id = data.draw(st.just(1) | st.floats(allow_nan=False))
        method = data.draw(st.sampled_from(commands))
        text = json.dumps(request | {"id": request_id, "method": method, "params": params})
        # Numbers beyond the range, as other programs write them: Python writes Infinity.
        reply = json.loads(server.handle(text.replace("Infinity", "1e999").encode()))
        assert "result" in reply or reply["error"]["code"] != -32603


@given(message=st.binary(max_size=200))
@settings(deadline=None)
def test_no_bytes_bring_the_server_down(message: bytes) -> None:
    reply = json.loads(unpack(Server(FakeGenerator()).handle(message))[0])
    assert "error" in reply
