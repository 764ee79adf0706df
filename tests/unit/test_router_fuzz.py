"""Whatever is typed into the router's command line: an answer, or one line that says what is wrong."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wirespeed.errors import WirespeedError
from wirespeed.router.commands import GRAMMAR
from wirespeed.router.console import Console
from wirespeed.router.core import NodeCounter, NodeStats, TraceStep
from wirespeed.router.fake import FakeRouterCore
from wirespeed.router.server import answer
from wirespeed.router.value_types import VALUE_TYPES

SYNTAXES = sorted({syntax for syntax, _ in GRAMMAR.commands()})
KINDS = sorted(set(re.findall(r"<([a-z0-9_]+)", " ".join(SYNTAXES))))

# What fits some type, what nearly fits, and what fits none.
_WORDS = (
    "e0 e1 e7 loop0 e0.100 local0 ip4-lookup dpdk-input nowhere 0 1 7 16 100 256 4095 65536 4294967295 4294967296 "
    "99999999999999999999 -1 0x10 "
    "10.0.0.1 10.0.0.1/24 10.0.0.0/8 0.0.0.0/0 255.255.255.255/32 10.0.0.1/33 10.0.0.1/ 2001:db8::1 2001:db8::1/64 "
    "::/0 fe80::1%e0 ::1/129 02:fe:00:00:00:01 02:fe 01:00:5e:00:00:01 0,1-2 3-1 1, - / . ? # * % { } add del on off "
    "up via \u00e4 \u0663 \u00b2 /dev/null /nowhere/x.conf ../x name any default 1500 9000 68 "
)
WORDS = _WORDS.split()


@st.composite
def typed(draw: st.DrawFn) -> str:
    """A line that one of the syntaxes allows, up to its values; often with something done to it."""
    tokens = re.findall(r"<[^>]+>|\.\.\.|[\[\]()|]|[^\s\[\]()|<>]+", draw(st.sampled_from(SYNTAXES)))
    words = list(_sample(draw, iter(tokens)))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(words)))
        match draw(st.sampled_from(["keep", "cut", "drop", "twice", "other", "text", "end"])):
            case "cut" if at < len(words):
                words[at] = words[at][: draw(st.integers(1, 3))]
            case "drop":
                del words[at : at + 1]
            case "twice":
                words[at:at] = words[at : at + 1]
            case "other":
                words[at:at] = [draw(st.sampled_from(WORDS))]
            case "text":
                words[at:at] = [draw(st.text(max_size=6))]
            case "end":
                words = words[:at]
    return " ".join(words)


def _sample(draw: st.DrawFn, tokens: Iterator[str]) -> Iterator[str]:
    """Words for the alternatives that begin here, up to the bracket that ends them."""
    choices: list[list[str]] = [[]]
    for token in tokens:
        if token in ")]":
            break
        if token == "|":
            choices.append([])
        elif token in "([":
            inner = list(_sample(draw, tokens))
            choices[-1] += inner if token == "(" or draw(st.booleans()) else []
        elif token.startswith("<"):
            choices[-1].append(draw(st.sampled_from(WORDS)))
        elif token != "...":
            choices[-1].append(token)
    yield from draw(st.sampled_from(choices))


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
    made = Console(core)
    made.directory = tmp_path
    yield made
    core.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=1000)
@given(st.one_of(typed(), st.text(max_size=40)))
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
    (message,) = answer(console, request_line)
    assert message["exit_code"] == 2


def test_every_type_of_value_has_words_that_fit() -> None:
    """Else the fuzzer would never get past it."""
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
