"""Any line on the router's command line: output, or one line with the error."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_lines import KINDS, WORDS, typed
from fake_router import FakeRouterCore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wirespeed.errors import WirespeedError
from wirespeed.router.console import Console
from wirespeed.router.server import requests
from wirespeed.router.value_types import VALUE_TYPES
from wirespeed.seam.graph import NodeCounter, NodeStats, TraceStep


def fake() -> FakeRouterCore:
    core = FakeRouterCore(workers=2)
    core.steps[0] = [TraceStep(0, 5, "ip4-input", 0, None, 0, 3, b"\1\2\3")]
    core.stats = [[NodeStats("dpdk-input", True, 5, 0, 0, 9), NodeStats("ip4-lookup", False, 1, 2, 0, 7, 7, 2)]] * 2
    core.node_errors[1] = [NodeCounter("ip4-input", "bad", True, 3)]
    return core


@pytest.fixture
def console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Console]:
    monkeypatch.setattr("wirespeed.router.commands.pcap._DIRECTORY", tmp_path)
    core = fake()
    made = Console(core, tmp_path)
    yield made
    made.close()
    core.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=1000)
@given(st.one_of(st.randoms().map(typed), st.text(max_size=40)))
def test_a_line_is_answered_or_refused_in_one_line(console: Console, line: str) -> None:
    for do in (lambda: console.run(line), lambda: iter(console.complete(line)), lambda: console.help(line)):
        try:
            answers = list(itertools.islice(do(), 200))
        except WirespeedError as error:
            assert str(error) and "\n" not in str(error)
        else:
            assert all(isinstance(answer, str) for answer in answers)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
def test_whatever_comes_over_the_socket_is_answered(console: Console, request_line: bytes) -> None:
    ((message,),) = requests(console, request_line)
    assert message["exit_code"] == 2


def test_every_type_of_value_has_words_that_fit() -> None:
    """Otherwise the fuzzer would never get past it."""
    core = fake()
    context = Console(core)
    for kind in KINDS:
        assert any(_fits(kind, word, context) for word in [*WORDS, "show version"]), kind
    core.close()


def _fits(kind: str, word: str, context: Console) -> bool:
    try:
        VALUE_TYPES[kind].parse(word, context)
    except ValueError:
        return False
    return True
