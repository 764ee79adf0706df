"""`wirespeed dut` with invalid arguments: one line, before any device is contacted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.namespaces import needs_namespace_names

from wirespeed.cli.dut import _restoring
from wirespeed.cli.main import main

PAIR = ["--interface=e0", "--interface=e1"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["collect", "--dut=linux:local", "-o", "/"], 6, "output / is a directory"),
        (
            ["collect", "--dut=linux:local", "-o", "/nowhere/c.json"],
            6,
            "/nowhere: No such file or directory; give another -o",
        ),
        (["prepare"], 2, "name the DUT with either --dut TYPE:ACCESS or --testbed FILE"),
        (
            ["prepare", "--dut=beos:local", *PAIR],
            2,
            "there is no such device; give TYPE:ACCESS; types are linux, freebsd,",
        ),
        (["prepare", "--dut=linux:ssh://r:secret@h", *PAIR], 2, "a password on a command line is read by every user"),
        (["prepare", "--dut=linux:ftp://h", *PAIR], 2, "is not an access method; give ssh://user@host[:port]"),
        (["prepare", "--testbed=/nothing.yaml"], 6, "/nothing.yaml cannot be read"),
        (["prepare", "--testbed=/nothing.yaml", "--dry-run", "-q"], 6, "/nothing.yaml cannot be read"),
        (
            ["prepare", "--testbed=b.yaml", "--queues=4"],
            2,
            "b.yaml defines how the DUT is prepared; leave out --queues, or",
        ),
        (["prepare", "--testbed=b.yaml", "--filter=on"], 2, "leave out --filter, or change the file"),
        (["prepare", "--dut=linux:local"], 2, "prepare needs --interface NAME,mac=MAC twice"),
        (
            ["prepare", "--dut=linux:local", "--interface=e0"],
            2,
            "forwards between pairs of interfaces; give an even number, not 1",
        ),
        (["prepare", "--dut=linux:local", *PAIR[:1] * 2], 2, "two links end at interface e0; give each its own"),
        (["prepare", "--dut=linux:local", *PAIR, "--mode=ip5"], 2, "--mode ip5: give one of ip4, ip6, l2xc, mpls"),
        (["prepare", "--dut=linux:local", *PAIR, "--queues=-1"], 2, "--queues -1: give a number above 0"),
        (["prepare", "--dut=linux:local", *PAIR, "--turbo=fast"], 2, "--turbo fast: give on or off"),
        (["prepare", "--dut=linux:local", "--interface=e0,mac=1", PAIR[1]], 2, "1 is not a MAC address of the tester"),
        (
            ["prepare", "--dut=linux:local", *PAIR, "--route=9.0.0.0/8=1.2.3.4"],
            2,
            "an address of the tester: 100.64.1.2",
        ),
        (["prepare", "--dut=linux:local", *PAIR, "--label=3=100.64.1.2"], 2, "labels are numbers from 16 to 1048575"),
        (["prepare", "--dut=linux:local", *PAIR, "--routes=/nothing"], 6, "table /nothing cannot be read"),
        (["prepare", "--dut=linux:local", *PAIR, "--routes-by=bird"], 2, "--routes-by bird says how a full table is"),
        (
            ["prepare", "--dut=vpp:local", *PAIR, "--routes=internet:5", "--routes-by=bird"],
            2,
            "this kind of DUT loads a full table by `exec`; --routes-by bird is for Linux",
        ),
        pytest.param(
            ["prepare", "--dut=linux:netns:ws-none", *PAIR],
            3,
            "there is no network namespace ws-none",
            marks=needs_namespace_names,
        ),
        (["collect", "--dut=vpp:console-log:/nothing"], 6, "console log /nothing cannot be read"),
        (["describe", "more", "--dut=linux:local"], 2, "unexpected extra argument(s) (more)"),
        (["show"], 2, "Missing argument 'RESULT'"),
    ],
)
def test_one_line_and_an_exit_code(words, code, said, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["dut", *words]) == code
    err = capsys.readouterr().err
    assert said in err and len(err.splitlines()) == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, or sudo without a password")
@pytest.mark.parametrize(
    ("device", "said"),
    [
        ("vpp:local,socket=/nothing", "VPP does not answer `show interface` on the DUT: "),
        ("wirespeed:local,socket=/nothing", "the router does not answer `show interface` on the DUT: "),
        ("danos:local", "the dataplane does not answer `/opt/vyatta/bin/vplsh -l -c ifconfig` on the DUT: "),
    ],
)
def test_a_program_that_does_not_run_is_told_of(device, said, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["dut", "prepare", f"--dut={device}", *PAIR]) == 3
    err = capsys.readouterr().err
    assert said in err and err.endswith("; is it running there?\n") and len(err.splitlines()) == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_another_kind_has_is_refused_before_the_device_is_asked(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["dut", "prepare", "--dry-run", "--dut=linux:local", *PAIR, "--driver=vfio-pci"]) == 2
    assert "a Linux kernel has no setting driver; leave it out" in capsys.readouterr().err


def test_the_command_that_restores_is_printed_with_the_options_that_were_given() -> None:
    assert _restoring("linux:ssh://root@box", None, None) == "wirespeed dut restore --dut linux:ssh://root@box"
    restoring = _restoring("", Path("my box.yaml"), Path("j"))
    assert restoring == "wirespeed dut restore --testbed 'my box.yaml' --journal j"
