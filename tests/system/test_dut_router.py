"""The wirespeed router as a DUT: prepared through its control socket, collected from, restored."""

import json

import pytest
from harness.programs import wirespeed
from harness.waiting import wait_for
from sandbox import PORTS, needs, router

from wirespeed.cli.main import main

pytestmark = needs()


@pytest.fixture
def running(box):
    with router(box, PORTS, "set interface state e0 up\n") as one:
        yield one


@pytest.fixture
def dut(running, monkeypatch, capsys):
    """Run `wirespeed dut` with an action and arguments; returns its output."""
    monkeypatch.setenv("HOME", str(running.sandbox.directory))

    def run(action: str, *words: str) -> str:
        code = main(["dut", action, f"--dut=router:{running.socket}", *words])
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed.out + printed.err

    return run


def test_a_router_is_prepared_collected_from_and_put_back(running, dut, capsys):
    words = ["--interface=e0,mac=02:ee:00:00:01:00", "--interface=e1,mac=02:ee:00:00:01:01"]
    before = running.ask("show ip fib")
    said = dut("prepare", *words)
    assert "interface e1: down -> up" in said and "interface e0:" not in said
    assert "via 100.64.2.2" in running.ask("show ip fib 48.0.0.0/8")
    assert "02:ee:00:00:01:00" in running.ask("show ip neighbors")
    assert "nothing to do" in dut("prepare", *words)
    output = running.sandbox.directory / "collected.json"
    dut("collect", "--duration=0.6", "--interval=0.2", f"--output={output}")
    raw = json.loads(output.read_text())
    assert raw["samples"] and raw["dut"]["kind"] == "wirespeed"
    assert all(one["workers"][0]["name"] == "ws_wk_0" for one in raw["samples"])
    assert main(["dut", "show", str(output), "show run"]) == 0
    shown = capsys.readouterr().out
    assert "ws_wk_0" in shown and shown == raw["dut"]["texts"]["show runtime"]
    dut("restore")
    assert running.ask("show ip fib") == before
    assert "02:ee:00:00:01" not in running.ask("show ip neighbors")


@pytest.mark.long("a second router over SSH")
def test_a_router_that_is_killed_while_it_is_prepared_has_nothing_to_put_back(running, dut):
    """Its commands then fail, and so does undoing them; a new process has none of the old settings."""
    words = ["--interface=e0,mac=02:ee:00:00:01:00", "--interface=e1,mac=02:ee:00:00:01:01", "--routes=internet:5000"]
    home = f"HOME={running.sandbox.directory}"
    spec = f"--dut=router:{running.socket}"
    preparing = running.sandbox.spawn("env", home, *wirespeed("dut", "prepare", spec, *words))
    wait_for(lambda: "table: nothing" in preparing.said(), "the last step")
    running.process.kill()
    assert preparing.popen.wait(timeout=120) in (3, 4), preparing.said()
    assert "wirespeed dut restore" in preparing.said() and "Traceback" not in preparing.said()
    running.start()
    before = running.ask("show ip fib")
    assert "were gone with a restart of the DUT" in dut("restore")
    assert running.ask("show ip fib") == before
    dut("prepare", *words[:2])
    dut("restore")
