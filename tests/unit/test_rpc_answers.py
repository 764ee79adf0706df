"""T-Rex's answers to some 330 requests, and ours: the same, or listed with the reason in docs/generator.md."""

from __future__ import annotations

import json

import pytest
from fake_generator import FakeGenerator
from trex_answers import Asked, comparable, documented, recorded

from wirespeed.generator.server import Server

Answers = dict[str, tuple[object, object]]


@pytest.fixture(scope="module")
def answers() -> Answers:
    """T-Rex's answer and ours by request, each as far as it has to be the same."""
    core = FakeGenerator(ports=2)
    server = Server(core, dst_macs=["02:ee:00:00:00:01", "02:ee:00:00:00:00"])
    handler = ""
    compared: Answers = {}
    for asked in recorded():
        if not isinstance(asked, Asked):
            core.advance(asked)
            server.tick()
            continue
        params = {"api_h": server.api_h, **asked.params}
        if params.get("handler") == "$h0":
            params["handler"] = handler
        request = {"jsonrpc": "2.0", "id": 1, "method": asked.method, "params": params}
        answer = json.loads(server.handle(json.dumps(request).encode()))
        if asked.method == "acquire" and "result" in answer:
            handler = answer["result"]
        core.advance(0.002)
        server.tick()
        assert asked.what not in compared
        compared[asked.what] = comparable(asked, asked.answer), comparable(asked, answer)
    return compared


def test_answers_are_trexs_or_documented(answers: Answers) -> None:
    listed = documented()
    different = {what: pair for what, pair in answers.items() if pair[0] != pair[1] and what not in listed}
    assert not different


def test_every_documented_deviation_is_one(answers: Answers) -> None:
    alike = [what for what in documented() if what not in answers or answers[what][0] == answers[what][1]]
    assert not alike
