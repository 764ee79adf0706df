"""Load test, search and console with a T-Rex as strict as the real one: they complete, and nothing crashes it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_server import Driver
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.client.generator_client import Call
from wirespeed.client.stateless_client import ProfileTarget, StatelessClient
from wirespeed.errors import UsageError
from wirespeed.measurement.file import read_as, read_file
from wirespeed.measurement.loadtest.analysis import analyse
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.search.result import SearchResult

pytestmark = pytest.mark.early

STRICT: dict[str, Any] = {"extended": False, "driver": "net_af_packet", "skew_s": 0.004}
QUICK = ["-p", "bench", "-t", "size=64", "-wm", "1mpps", "-wd", "0.3", "-rt", "5mpps", "-rd", "2", "-hd", "0.7"]


@pytest.fixture
def trex() -> Iterator[SimulatedTrex]:
    with SimulatedTrex(**STRICT, files=frozenset({"/on/the/server.pcap"})) as server:
        yield server


@pytest.fixture
def console(trex: SimulatedTrex) -> Iterator[Driver]:
    one = Driver(trex.server)
    one("acquire")
    yield one
    one.close()


def test_a_load_test_runs_whole_and_shows_no_loss_that_was_none(trex: SimulatedTrex, tmp_path: Path) -> None:
    file = tmp_path / "trex.json"
    assert main(["loadtest", "-s", trex.server, *QUICK, "--interval", "0.1", "-o", str(file)]) == 0
    assert trex.idle
    result = read_as(Result, file)
    assert (result.ending.status, result.versions["generator"]) == ("complete", "T-Rex v3.08")
    [note] = result.ending.notes
    assert note.startswith("the generator reads what it sent and what it received up to ")
    analysis = analyse(result)
    for curve in analysis.curves:
        assert curve.outcome.balance.lost == 0
        assert max(point.loss_ratio for point in curve.points) < 1e-4
        assert (curve.stray_failures, curve.outcome.loss_onset) == (0, None)


def test_a_load_test_shows_the_loss_that_there_was(tmp_path: Path) -> None:
    file = tmp_path / "lossy.json"
    with SimulatedTrex(**STRICT, share=0.98) as trex:
        assert main(["loadtest", "-s", trex.server, *QUICK, "--interval", "0.1", "-u", "-o", str(file)]) == 0
        assert trex.idle
    [curve] = analyse(read_as(Result, file)).curves
    assert curve.outcome.balance.loss_ratio == pytest.approx(0.02, rel=0.1)
    assert max(point.loss_ratio for point in curve.measured) > 0.015
    assert curve.outcome.loss_onset is not None


def test_signatures_and_latency_are_read_from_packet_groups(trex: SimulatedTrex, tmp_path: Path) -> None:
    file = tmp_path / "verified.json"
    assert main(["loadtest", "-s", trex.server, *QUICK, "--signature", "--latency", "-u", "-o", str(file)]) == 0
    assert trex.idle
    result = read_as(Result, file)
    [curve] = analyse(result).curves
    assert curve.outcome.balance.loss_ratio < 1e-4
    assert max(point.loss_ratio for point in curve.points) < 1e-3
    assert all(sample.latency for sample in result.samples[1:])


def test_a_search_finds_what_the_device_forwards(tmp_path: Path) -> None:
    file = tmp_path / "search.json"
    shape = "initial=0.05,final=0.05,sum=0.2,width=5%"
    with SimulatedTrex(**STRICT, capacity_pps=4e6) as trex:
        goal = ["--preset", "quick", "--goal", f"pdr:loss=0.5%,{shape}", "-u", "-o", str(file)]
        assert main(["search", "-s", trex.server, "-p", "bench", "-t", "size=64", *goal]) == 0
        assert trex.idle
    result = read_file(file)
    assert isinstance(result, SearchResult)
    [found] = result.goals
    assert found.lower_pps == pytest.approx(4e6, rel=0.15)


SCRIPT = """
start -f stl/bench.py -m 10kpps -p 0 -t size=64,vm=var2
stats
update -m 20kpps
pause
resume
start -f bench -m 1kpps -p 0.voice 1._
streams
profiles
stop -p 0.*
stop
capture record start --rx 1
capture
reset
push -f /on/the/server.pcap -r -p 0
service
capture record start --rx 1 --tx 0 --limit 10
capture record stop --id 2
pkt -p 0 -s 'Ether()/IP(dst="48.0.0.1")/UDP(dport=12)/("x"*20)'
service --off
portattr
stats -x
clear
start -f bench -d 0.2 -m 1kpps
events
start -f bench -m 50% --dry --force
streams --code -p 0
stop -p 0.* --remove
reset -p 1 -r
service -p 0 --bgp --no-tcp-udp
service --off -a
service; capture monitor start --rx 1 -s 64; capture monitor stop
service --off
l2 -p 0 --dst 02:ee:00:00:00:01
vlan 10 -p 0
vlan -a --vlan 10 20
vlan -c -a
ipv6 -p 0 --auto-ipv6
global_cfg
tpg_status
ping
map
release
"""


def test_a_script_of_console_commands(
    trex: SimulatedTrex, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(SCRIPT))
    assert main(["console", "-s", trex.server]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for words in (
        "Starting traffic on port(s) [0.voice, 1._]:",
        "Stopping traffic on port(s) [0._, 0.voice]:",
        "0.voice | TX",
        "total_tx_L1  : 6.72 Mbps",
        "Resetting ports [0, 1]:",
        "Pushing remote PCAP on port(s) [0]:",
        "not started; at multiplier 1",
        "port 0: tagged packet groups are off",
    ):
        assert words in out
    assert "[FAILED]" not in out


def test_a_reset_leaves_no_stream_no_queue_and_no_capture(trex: SimulatedTrex, console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0.one 0.two 1._")
    client = console.session.client
    client.on_ports("service", [0, 1], enabled=True, filtered=False)
    client.on_ports("set_rx_feature", [1], type="queue", enabled=True, size=10)
    console("capture record start --rx 1 --tx 0")
    console("reset")
    port, other = trex.ports
    assert set(port.profiles) == {"_", "one", "two"}
    assert not any(profile.streams for each in (port, other) for profile in each.profiles.values())
    assert (port.service, other.service, other.queue_size) == (False, False, None)
    assert client.capture("status") == []


def test_a_reset_of_one_port_leaves_the_captures_of_others(trex: SimulatedTrex, console: Driver) -> None:
    console("service")
    console("capture record start --rx 1")
    console("reset -p 0")
    assert len(console.session.client.capture("status")) == 1


def test_all_profiles_of_a_port_are_paused_and_stopped_by_their_names(trex: SimulatedTrex, console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0.one 0.two")
    console("pause -p 0.*")
    assert {one.state for name, one in trex.ports[0].profiles.items() if name != "_"} == {"PAUSE"}
    console("resume -p 0.*")
    console("stop -p 0.*")
    assert trex.ports[0].state == "STREAMS"
    assert "stands for all profiles" in console.refused("start -f bench -m 1kpps -p 0.*")


def test_a_file_that_the_server_cannot_read_is_told_of(trex: SimulatedTrex, console: Driver) -> None:
    assert "cannot play '/no/such.pcap'" in console.refused("push -f /no/such.pcap -r -p 0")
    assert "[FAILED]" in console.out
    assert "[SUCCESS]" in console("push -f /on/the/server.pcap -r -p 0")


def test_a_file_that_the_server_cannot_read_is_an_exit_code(
    trex: SimulatedTrex, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["console", "-s", trex.server, "push", "-f", "/no/such.pcap", "-r", "-p", "0"]) == 4
    assert "cannot play '/no/such.pcap'" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["get_port_status", "get_stream_list", "remove_stream", "validate"])
def test_unknown_profiles_are_not_asked_for(trex: SimulatedTrex, method: str) -> None:
    with StatelessClient(trex.server) as client:
        client.connect()
        client.take([0])
        wanted = {"port_id": 0, "profile_id": "zz", "stream_id": 1, "block": False}
        with pytest.raises(UsageError, match="port 0 of .* has no profile 'zz'; there is: _"):
            client.batch([Call("ping"), Call(method, wanted)])
        assert method not in trex.methods
        client.call("ping")


def test_known_profiles_are_asked_for_and_looked_up_once(trex: SimulatedTrex, console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0.voice")
    other = StatelessClient(trex.server)
    other.connect()
    for _ in range(3):
        assert other.call("get_stream_list", port_id=0, profile_id="voice")
    assert trex.methods.count("get_profile_list") == 1
    other.close()
    console("stop")
    assert console.session.client.validate([ProfileTarget(0, "voice")])


def test_a_variable_that_takes_every_value_of_8_bytes_is_not_sent(
    trex: SimulatedTrex, console: Driver, tmp_path: Path
) -> None:
    profile = tmp_path / "whole.py"
    profile.write_text(
        "from trex_stl_lib.api import *\n"
        "class P:\n"
        "    def get_streams(self, **kwargs):\n"
        "        vm = STLScVmRaw([STLVmFlowVar('all', size=8, min_value=0, max_value=(1 << 64) - 1, op='inc'),\n"
        "                         STLVmWrFlowVar('all', pkt_offset=42)])\n"
        "        packet = Ether()/IP()/UDP()/('x' * 20)\n"
        "        return [STLStream(packet=STLPktBuilder(pkt=packet, vm=vm), mode=STLTXCont(pps=1))]\n"
        "def register():\n"
        "    return P()\n"
    )
    assert "'all' has 8 bytes and takes every value" in console.refused(f"start -f {profile} -m 1kpps -p 0")
    assert trex.ports[0].profiles["_"].streams == {}
