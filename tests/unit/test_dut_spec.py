"""DUT specifications on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.namespaces import needs_namespace_names

from wirespeed.dut.linux import LinuxDut
from wirespeed.dut.none import NoDut
from wirespeed.dut.router import RouterDut
from wirespeed.dut.spec import parse_dut
from wirespeed.errors import ConnectionFault, EnvironmentFault, UsageError
from wirespeed.results.dut import DutTelemetry


def test_kinds_of_devices() -> None:
    assert isinstance(parse_dut("router:/run/router.sock"), RouterDut)
    assert isinstance(parse_dut("linux:"), LinuxDut)
    none = parse_dut("none")
    assert isinstance(none, NoDut)
    assert none.telemetry(none.reading(), none.reading()) == DutTelemetry()
    assert none.describe().kind == "none"


@needs_namespace_names
def test_what_is_given_is_used(tmp_path: Path) -> None:
    with pytest.raises(ConnectionFault, match=f"no router writes {tmp_path}/router.stats"):
        parse_dut(f"router:{tmp_path}/router.sock").prepare()
    with pytest.raises(ConnectionFault, match=f"no router writes {tmp_path}/other"):
        parse_dut(f"router:{tmp_path}/router.sock,stats={tmp_path}/other").prepare()
    with pytest.raises(EnvironmentFault, match="no network namespace nowhere"):
        parse_dut("linux:netns=nowhere,cpus=0,2-4").prepare()
    assert parse_dut("linux:cpus=0,2-4").describe().cpus == (0, 2, 3, 4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ssh:root@box", "there is no such device; give router:/path/router.sock.*linux:.*none$"),
        ("", "there is no such device"),
        ("linux", "there is no such device"),
        ("none:x", "there is no such device"),
        ("router:", "names no control socket; give router:/path/router.sock"),
        ("router:stats=x", "names no control socket"),
        ("router:/x,netns=y", "unknown setting netns=y; allowed: stats="),
        ("linux:/x", "unknown setting /x; allowed: netns=…, cpus=…"),
        ("linux:netns=", "unknown setting netns=; allowed"),
        ("linux:netns=a,netns=b", "unknown setting netns=b; allowed"),
        ("linux:cpus=a", "--dut cpus a cannot be read; give CPU numbers"),
    ],
)
def test_texts_that_are_none(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_dut(text)
