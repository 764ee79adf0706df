"""Command lines: abbreviations, values, and errors that name the faulty word."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.errors import UsageError
from wirespeed.router.grammar import Grammar
from wirespeed.router.value_types import VALUE_TYPES


@dataclass(frozen=True)
class Named:
    summary: str


class Names:
    def interface_index(self, name: str) -> int | None:
        return self.interface_names().get(name)

    def interface_names(self) -> dict[str, int]:
        return {"e0": 0, "e1": 1}

    def node_names(self) -> list[str]:
        return ["dpdk-input", "ip4-input"]


NAMES = Names()


def grammar(*syntaxes: str) -> Grammar:
    made = Grammar(VALUE_TYPES)
    for syntax in syntaxes:
        made.add(syntax, Named(syntax))
    return made


SHOW = grammar(
    "show interface [<interface>...]",
    "show interface address",
    "show ip neighbor",
    "show ip neighbors",
    "set interface state <interface> (up|down)",
    "comment <text>",
    "clear errors",
    "route <prefix> (via <address> [weight <number>])...",
    "trace add <node> <number>",
)


def refusal(line: str) -> str:
    with pytest.raises(UsageError) as error:
        SHOW.match(line, NAMES)
    return str(error.value)


@pytest.mark.parametrize(
    ("line", "syntax"),
    [
        ("show interface", "show interface [<interface>...]"),
        ("sh int", "show interface [<interface>...]"),
        ("  sh   int  e0 e1 ", "show interface [<interface>...]"),
        ("sh int addr", "show interface address"),
        ("set int st e1 up", "set interface state <interface> (up|down)"),
        ("comment { any thing } at all", "comment <text>"),
    ],
)
def test_words_may_be_cut_to_what_is_unambiguous(line: str, syntax: str) -> None:
    command, _ = SHOW.match(line, NAMES)
    assert command.summary == syntax


def test_of_words_that_begin_alike_the_shortest_is_meant_when_it_begins_the_others() -> None:
    assert SHOW.match("show ip neigh", NAMES)[0].summary == "show ip neighbor"
    assert SHOW.match("show ip neighbors", NAMES)[0].summary == "show ip neighbors"


def test_values_come_typed_and_in_order() -> None:
    _, match = SHOW.match("route 10.1.2.3/8 via 1.0.0.1 weight 3 via 1.0.0.2", NAMES)
    assert str(match["prefix"].network) == "10.0.0.0/8"
    assert match.all("address") == [IPv4Address("1.0.0.1"), IPv4Address("1.0.0.2")]
    assert match.get("number") == 3
    assert "via" in match and "down" not in match


def test_an_interface_is_its_number_and_zero_is_one() -> None:
    _, match = SHOW.match("show interface e1 e0", NAMES)
    assert match.all("interface") == [1, 0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("shw int", "word 1, 'shw', is not known here"),
        ("shw int", "did you mean 'show'?"),
        ("show itn", "did you mean 'interface'?"),
        (
            "show itnerface",
            "word 2, 'itnerface', is not known here: did you mean 'interface'? expected one of interface, ip",
        ),
        ("c errors", "word 1, 'c', is ambiguous: clear, comment"),
        ("set int state e7 up", "word 4, 'e7': there is no interface 'e7'; there are e0, e1"),
        ("set int state e0 upp", "word 5, 'upp', is not known here: did you mean 'up'? expected one of down, up"),
        ("route 1.2.3.4/55 via 1.1.1.1", "word 2, '1.2.3.4/55': '1.2.3.4/55': a prefix length is 0 to 32"),
        ("route 2001:db8::/129 via 1.1.1.1", "'2001:db8::/129': a prefix length is 0 to 128"),
        ("route 2001:dg8::/32 via 1.1.1.1", "'2001:dg8::/32' is not an IPv6 prefix such as 2001:db8::/32"),
        ("route fe80::%e0/64 via 1.1.1.1", "'fe80::%e0/64' is not an IPv6 prefix"),
        ("route 1.2.3.0/24 via 2001:::1", "'2001:::1' is not an IPv6 address"),
        ("route 1.2.3.0/24 via 1.1.1", "'1.1.1' is not an IPv4 address"),
        ("trace add dpdk-inptu 5", "there is no node 'dpdk-inptu'; there are dpdk-input, ip4-input"),
        ("trace add dpdk-input -5", "'-5' is not a whole number"),
        ("clear errors now", "word 3, 'now', is too much: 'clear errors' ends there"),
        ("route 1.2.3.0/24", "'route 1.2.3.0/24' is not complete; expected via"),
        ("set interface", "'set interface' is not complete; expected state"),
    ],
)
def test_a_wrong_line_names_the_word_and_what_could_stand_there(line: str, message: str) -> None:
    assert message in refusal(line)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", ["clear", "comment", "route", "set", "show", "trace"]),
        ("sh", ["show"]),
        ("show int ", ["address", "e0", "e1"]),
        ("show int e", ["e0", "e1"]),
        ("show int e0", ["e0"]),
        ("set int state e0 ", ["down", "up"]),
        ("trace add ip", ["ip4-input"]),
        ("wrong already ", []),
    ],
)
def test_completion_knows_what_could_stand_there(line: str, words: list[str]) -> None:
    assert SHOW.complete(line, NAMES) == words


def test_help_says_what_each_next_word_leads_to() -> None:
    rows = dict(SHOW.expected("show", NAMES))
    assert rows["ip"] == "neighbor, neighbors"
    assert dict(SHOW.expected("show int", NAMES))["<enter>"] == "show interface [<interface>...]"


def test_a_syntax_that_cannot_be_read_is_refused_when_it_is_declared() -> None:
    with pytest.raises(ValueError, match="no end of"):
        grammar("show [this")
    with pytest.raises(ValueError, match="unexpected"):
        grammar("show this]")


WORDS = st.sampled_from(
    [
        "show",
        "sh",
        "interface",
        "int",
        "set",
        "state",
        "up",
        "e0",
        "route",
        "via",
        "1.0.0.1",
        "10.0.0.0/8",
        "weight",
        "3",
        "comment",
        "trace",
        "add",
        "dpdk-input",
        "zz",
        "",
        "?",
        "é",
    ]
)


@given(st.lists(WORDS, max_size=8).map(" ".join))
def test_any_line_matches_or_is_refused_in_one_line(line: str) -> None:
    try:
        SHOW.match(line, NAMES)
    except UsageError as error:
        assert "\n" not in str(error)
    for word in SHOW.complete(line, NAMES):
        assert word


@given(st.lists(WORDS, max_size=8).map(" ".join))
def test_a_completed_word_is_accepted_where_it_was_offered(line: str) -> None:
    for word in SHOW.complete(line + " ", NAMES):
        try:
            SHOW.match(f"{line} {word}", NAMES)
        except UsageError as error:
            assert "is not complete" in str(error)
