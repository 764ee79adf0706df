"""JSON-RPC messages: framing, batches, and every way a request can be wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed._native.fake_generator import FakeGenerator
from wirespeed.generator.framing import MAX_MESSAGE_BYTES, pack, unpack
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
    [b"", b"{", b"\xff\xfe", b"NaN", b'{"id": Infinity}', b"[" * 100_000, b"1" * 5000, b'{"jsonrpc": "2.0", '],
)
def test_what_is_no_json(server: Server, payload: bytes) -> None:
    for message in (payload, pack(payload)):
        reply = json.loads(unpack(server.handle(message))[0])
        assert reply["error"] == {"code": -32700, "message": "Bad JSON Format"}
        assert reply["id"] is None


def test_messages_beyond_the_limit_are_refused(server: Server) -> None:
    for message in (b" " * (MAX_MESSAGE_BYTES + 1), pack(b" " * (MAX_MESSAGE_BYTES + 1))):
        reply = json.loads(server.handle(message))
        assert reply["error"]["code"] == -32603
        assert str(MAX_MESSAGE_BYTES) in reply["error"]["specific_err"]


def test_answers_beyond_the_limit_are_an_error() -> None:
    reply = json.loads(answer(json.dumps(PING).encode(), lambda name, params: "x" * MAX_MESSAGE_BYTES))
    assert reply["error"]["code"] == -32603
    assert "ask for less" in reply["error"]["specific_err"]


def test_a_fault_of_ours_is_an_answer_too(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.core.now_s = lambda: 1 / 0  # type: ignore[method-assign]
    assert error_of(server, PING) == (-32603, "Internal Server Error", "ZeroDivisionError: division by zero")
    assert "internal error in ping" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("params", "specific"),
    [
        ({}, "field 'api_h' value is null"),
        ({"api_h": 5}, "field 'api_h' is 'int', expecting 'string'"),
        ({"api_h": None}, "field 'api_h' value is null"),
        ({"api_h": "right"}, "field 'port_id' value is null"),
        ({"api_h": "right", "port_id": "0"}, "field 'port_id' is 'string', expecting 'uint32'"),
        ({"api_h": "right", "port_id": True}, "field 'port_id' is 'boolean', expecting 'uint32'"),
        ({"api_h": "right", "port_id": 0.5}, "field 'port_id' is 'double', expecting 'uint32'"),
        ({"api_h": "right", "port_id": -1}, "field 'port_id' is -1, expecting 'uint32'"),
        ({"api_h": "right", "port_id": 1 << 32}, "field 'port_id' is 4294967296, expecting 'uint32'"),
        ({"api_h": "right", "port_id": {}}, "field 'port_id' is 'object', expecting 'uint32'"),
        ({"api_h": "right", "port_id": 0}, "field 'user' value is null"),
        ({"api_h": "right", "port_id": 0, "user": []}, "field 'user' is 'array', expecting 'string'"),
    ],
)
def test_parameters_are_checked(server: Server, params: dict[str, Any], specific: str) -> None:
    given_params = params | ({"api_h": server.api_h} if params.get("api_h") == "right" else {})
    request = {"jsonrpc": "2.0", "id": 1, "method": "acquire", "params": given_params}
    assert error_of(server, request) == (-32602, "Bad parameters for method", specific)


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
        reply = ask(server, request | {"method": data.draw(st.sampled_from(commands)), "params": params})
        assert "result" in reply or reply["error"]["code"] != -32603


@given(message=st.binary(max_size=200))
@settings(deadline=None)
def test_no_bytes_bring_the_server_down(message: bytes) -> None:
    reply = json.loads(unpack(Server(FakeGenerator()).handle(message))[0])
    assert "error" in reply
