"""The table of messages: CRCs as VPP has them, and entries that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.vpp_api.declarations import DeclarationError, read_module
from wirespeed.vpp_api.table import TABLE

_CRCS = Path(__file__).parent / "data" / "vpp_api_crcs.txt"


def test_crcs_are_those_of_vpp() -> None:
    known = {line for line in _CRCS.read_text().splitlines() if not line.startswith("#")}
    assert {TABLE.signature(name) for name in TABLE.messages} == known


def test_numbers_are_one_each_and_fit() -> None:
    numbers = TABLE.numbers
    assert sorted(set(numbers.values())) == sorted(numbers.values())
    assert (numbers["sockclnt_create"], numbers["sockclnt_create_reply"]) == (15, 16)
    assert max(numbers.values()) < 2**16
    assert TABLE.by_number[numbers["show_version"]].name == "show_version"


def test_every_request_has_its_answers() -> None:
    for message in TABLE.messages.values():
        for name in (message.reply, message.stream, message.event):
            assert name in (None, "null") or name in TABLE.messages, message.name


@pytest.mark.parametrize(
    "line",
    ["what is this", "type x: u32", "msg (mq) u32 x", "msg (cx) u32", "enum e (u8): A", "msg (cx) u32 a -> stream"],
)
def test_an_entry_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(DeclarationError, match="no declaration: "):
        read_module(f"module x 1.0.0\n{line}\n")
