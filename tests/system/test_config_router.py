"""`wirespeed config` on a real router: examples applied one after the other, and failures during that."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from config_walk import PORTS as WALKED_PORTS
from config_walk import walked
from harness.programs import started, wirespeed
from harness.waiting import wait_for
from sandbox import Router, needs, router

from wirespeed.cli.main import main
from wirespeed.config.application import Application
from wirespeed.config.check import check_text, read_config
from wirespeed.config.operations import Operation
from wirespeed.config.plan import plan
from wirespeed.config.router_device import RouterDevice
from wirespeed.config.schema import Config
from wirespeed.config.target import target_state
from wirespeed.errors import INTERRUPTED, RemoteError

pytestmark = needs()

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
APPLIED = (
    "interface",
    "sub-interfaces",
    "loopbacks",
    "bridge-domain",
    "l2xc",
    "acls",
    "taps",
    "vxlan",
    "bonds",
    "sflow",
)
PORTS = "interfaces:\n  e0: {}\n  e1: {}\n"


@pytest.fixture
def running(box):
    ports = [f"{name}=memif:{box.directory}/{name}.sock,role=server" for name in ("e0", "e1")]
    with router(box, ports, "lcp default netns dataplane\nlcp lcp-sync on\n") as made:
        yield made


def config(running: Router, *words: str | Path) -> int:
    return main(["config", *map(str, words), "--socket", str(running.socket)])


def state(running: Router) -> str:
    return running.ask("show state")


def write(directory: Path, text: str) -> Path:
    file = directory / "lab.yaml"
    file.write_text(text)
    return file


def loopbacks(count: int) -> str:
    lines = (f"  loop{n}: {{addresses: [10.{9 + (n >> 8)}.{n & 255}.1/24]}}\n" for n in range(count))
    return PORTS + "loopbacks:\n" + "".join(lines)


def test_each_example_is_applied_on_top_of_the_one_before(box, running, tmp_path, capsys):
    """A second application does nothing; a dump is valid and its plan is empty; Linux has the paired interfaces; and
    everything can be removed again.
    """
    bare = write(tmp_path, PORTS)
    has_vlans = box.try_run("ip", "link", "add", "link", "lo", "name", "v1", "type", "vlan", "id", "1")[0] == 0
    for name in (*APPLIED, *reversed(APPLIED)):
        file = tmp_path / f"{name}.yaml"
        text = (EXAMPLES / file.name).read_text()
        # Names of VLANs in Linux need a kernel that has VLANs.
        file.write_text(text if has_vlans else re.sub(r" *lcp: [bx]e0\..*\n", "", text))
        assert config(running, "apply", file, "--journal", tmp_path / "journal") == 0, capsys.readouterr()
        capsys.readouterr()
        assert config(running, "apply", file) == 0
        assert capsys.readouterr().out == "the router is as the configuration says; nothing to do\n"
        assert config(running, "dump") == 0
        dumped = capsys.readouterr()
        assert not dumped.err
        assert check_text(dumped.out.encode(), "dump").findings == ()
        (tmp_path / "dump.yaml").write_text(dumped.out)
        assert config(running, "plan", tmp_path / "dump.yaml") == 0
        assert capsys.readouterr().out == ""
        # A plan from the dump equals one from the router.
        assert main(["config", "plan", "--from", str(tmp_path / "dump.yaml"), str(file)]) == 0
        assert capsys.readouterr().out == ""
        if name == "sub-interfaces":
            links = box.run("ip", "-br", "link", netns="dataplane").split()
            assert {"xe0", "xe0.200@xe0", "xe0.200.5@xe0.200"} <= {*links} if has_vlans else "xe0" in links
    assert config(running, "apply", bare, "--journal", tmp_path / "journal") == 0
    assert "sub-interface" not in capsys.readouterr().err
    left = [json.loads(line) for line in state(running).splitlines()]
    assert {told["kind"] for told in left if "interface" in told} == {"port"}
    assert {next(iter(told)) for told in left} == {"interface", "sflow"}


@pytest.fixture
def walk(box):
    """Configurations by name, and a function that applies one, plans it again, and asserts that the plan is empty."""
    has_vlans = box.try_run("ip", "link", "add", "link", "lo", "name", "v1", "type", "vlan", "id", "1")[0] == 0
    configs = walked(vlans_in_linux=has_vlans)
    ports = [f"{name}=memif:{box.directory}/{name}.sock,role=server" for name in WALKED_PORTS]
    with router(box, ports, "lcp default netns dataplane\n") as made:
        device = RouterDevice(made.socket)

        def go(name: str) -> None:
            config = Config.model_validate(configs[name])
            assert Application(config, device, box.directory / "journal", lambda _line: None).run() == 0, name
            assert not plan(device.read(), target_state(config)).steps, name

        yield configs, go


def test_a_walk_there_and_back_through_configurations_of_all_kinds(walk):
    configs, go = walk
    for name in (*configs, *reversed(configs)):
        go(name)


@pytest.mark.long("a hundred pairs; the walk above has each configuration after two others")
def test_each_configuration_is_reached_from_each_other(walk):
    configs, go = walk
    for start in configs:
        for name in configs:
            go(start)
            go(name)


def test_changes_that_look_like_none_are_applied(box, running, tmp_path, capsys):
    """A TAP's other MAC address in Linux and its other namespace; a tag rewrite set by hand; a bond's MTU."""
    running.ask("create sub-interfaces e0 100")
    running.ask("set interface l2 tag-rewrite e0.100 push dot1q 5")
    ports = "interfaces:\n  e0: {sub-interfaces: {100: {description: typed}}}\n  e1: {}\n"
    bond = "  BondEthernet0: {mtu: MTU}\nbondethernets:\n  BondEthernet0: {mode: round-robin}\n"
    taps = "taps:\n  tap1: {host: {name: t1, HOST}}\n"
    mac = "02:fe:00:00:00:0"
    for mtu, host, namespace in (
        (1500, "", None),
        (9100, f"mac: '{mac}1'", None),
        (9000, f"mac: '{mac}2'", None),
        (1500, f"mac: '{mac}2', mtu: 1400, namespace: dataplane", "dataplane"),
    ):
        file = write(tmp_path, ports + bond.replace("MTU", str(mtu)) + taps.replace("HOST", host))
        assert config(running, "apply", file, "--journal", tmp_path / "journal") == 0, capsys.readouterr().err
        capsys.readouterr()
        assert config(running, "plan", "-c", file) == 0
        assert capsys.readouterr().out == ""
        told = {one["interface"]: one for one in map(json.loads, state(running).splitlines()) if "interface" in one}
        assert (told["e0.100"]["push"], told["BondEthernet0"]["mtu"]) == ([], mtu)
        link = box.run("ip", "-o", "link", "show", "t1", **({"netns": namespace} if namespace else {}))
        assert not host or host[6:23] in link
        assert ("mtu 1400 " in link) == ("1400" in host)


def test_acls_of_one_tag_are_two(running, tmp_path, capsys):
    """The dump's plan is empty, and a configuration without them deletes both."""
    for port in (80, 443):
        running.ask(f"set acl-plugin acl permit src 0.0.0.0/0 dst 10.0.0.0/8 proto 6 dport {port} tag web")
    running.ask("set acl-plugin acl deny src 0.0.0.0/0 dst 10.0.0.0/8 tag acl-3")
    running.ask("set acl-plugin acl deny src 0.0.0.0/0 dst 11.0.0.0/8")
    assert [*RouterDevice(running.socket).read().acls] == ["web", "acl-1", "acl-3", "acl-3-3"]
    assert config(running, "dump") == 0
    dumped = write(tmp_path, capsys.readouterr().out)
    assert config(running, "plan", dumped) == 0
    assert capsys.readouterr().out == ""
    assert config(running, "apply", write(tmp_path, PORTS), "--journal", tmp_path / "journal") == 0
    assert RouterDevice(running.socket).read().acls == {}


def test_what_the_router_has_no_object_for_is_told_before_anything_is_changed(running, tmp_path, capsys):
    before = state(running)
    rules = "bridgedomains:\n  bd10:\n    settings:\n      arp-termination: true\n"
    file = write(tmp_path, PORTS + rules)
    assert config(running, "apply", file, "--journal", tmp_path / "journal") == 3
    said = capsys.readouterr().err
    assert "(its bridge domains do nothing about ARP)" in said
    assert said.endswith("of the plan cannot be applied here; nothing was changed\n")
    assert state(running) == before
    assert config(running, "plan", file) == 0
    assert capsys.readouterr().out


def test_configuration_of_another_router_is_refused(running, tmp_path, capsys):
    assert config(running, "plan", write(tmp_path, PORTS + "  e2: {}\n")) == 2
    assert "port e2 of the configuration is not on the router, whose ports are e0, e1" in capsys.readouterr().err
    assert config(running, "apply", write(tmp_path, "interfaces: {e0: {}}")) == 2
    assert "port e1 of the router is not in the configuration; give its wanted state" in capsys.readouterr().err


FAILS = PORTS + "loopbacks: {loop5: {}}\ntaps: {tap1: {host: {name: t, namespace: nowhere}}}\n"


def test_failure_in_the_middle_stops_and_shows_or_runs_the_way_back(running, tmp_path, capsys):
    before = state(running)
    file = write(tmp_path, FAILS)
    assert config(running, "apply", file) == 4
    said = capsys.readouterr()
    assert "delete loopback interface intfc loop5\n" in said.out
    assert "step 2 of" in said.err and "create tap id 1" in said.err and said.err.count("\n") == 1
    journal = [json.loads(line) for line in (tmp_path / "lab.yaml.journal").read_text().splitlines()]
    assert [line["done"] for line in journal if "done" in line] == [1]
    assert journal[-1] == {"ended": "failed"}
    assert "loop5" in state(running)
    assert config(running, "apply", "--rollback", file) == 4
    assert "nothing was changed" in capsys.readouterr().err or "loop5" in state(running)
    assert config(running, "apply", write(tmp_path, "interfaces: {e0: {state: down}, e1: {state: down}}")) == 0
    assert state(running) == before
    assert config(running, "apply", "--rollback", write(tmp_path, FAILS)) == 4
    assert "all was undone in 1 step" in capsys.readouterr().err
    assert state(running) == before


def test_what_nobody_confirms_is_undone(running, tmp_path, capsys):
    before = state(running)
    assert config(running, "apply", write(tmp_path, loopbacks(2)), "--confirm", "1") == 4
    said = capsys.readouterr()
    assert "undone in 1 s unless confirmed" in said.out
    assert "not confirmed within 1 s: all was undone in" in said.err
    assert state(running) == before


def applying(running: Router, file: Path, *options: str) -> subprocess.Popen[str]:
    words = wirespeed("config", "apply", file, "--socket", running.socket, *options)
    return started(words)


@pytest.mark.parametrize("how", ["confirmed", "ended"])
def test_confirmation_keeps_it_and_a_signal_does_not(running, tmp_path, how):
    before, file = state(running), write(tmp_path, loopbacks(2))
    with applying(running, file, "--confirm", "3600") as process:
        assert process.stdout is not None
        while "unless confirmed" not in process.stdout.readline():
            assert process.poll() is None
        if how == "confirmed":
            assert main(["config", "confirm", f"{file}.journal"]) == 0
            assert process.wait() == 0
            assert "loop1" in state(running)
            assert main(["config", "confirm", f"{file}.journal"]) == 2
        else:
            process.send_signal(signal.SIGTERM)
            assert process.wait() == INTERRUPTED
            assert process.stderr is not None and "not confirmed: all was undone in" in process.stderr.read()
            assert state(running) == before


MANY = 400


def wait_begun(process: subprocess.Popen[str], file: Path) -> None:
    journal = Path(f"{file}.journal")

    def has_begun() -> bool:
        assert process.poll() is None, process.communicate()
        return journal.exists() and b'"done": 20' in journal.read_bytes()

    wait_for(has_begun, "the twentieth step")


def test_client_that_dies_leaves_the_rest_to_the_next_plan(running, tmp_path, capsys):
    file = write(tmp_path, loopbacks(MANY))
    with applying(running, file) as process:
        wait_begun(process, file)
        os.kill(process.pid, signal.SIGKILL)
    assert config(running, "apply", file) == 0
    steps = int(capsys.readouterr().out.split("applied: ")[1].split()[0])
    assert 0 < steps < 4 * MANY
    assert config(running, "plan", file) == 0
    assert capsys.readouterr().out == ""


def test_router_that_restarts_during_apply(running, tmp_path, capsys):
    file = write(tmp_path, loopbacks(MANY))
    with applying(running, file) as process:
        wait_begun(process, file)
        running.process.kill()
        _, said = process.communicate()
    assert process.returncode == 4
    assert said.startswith("wirespeed: step ") and said.count("\n") == 1
    assert "the next plan finds the rest" in said
    assert config(running, "plan", file) == 4
    capsys.readouterr()
    running.start()
    assert config(running, "apply", file) == 0
    assert "applied: " in capsys.readouterr().out


class Vanishing(RouterDevice):
    """Another user deletes loop1 while the application runs."""

    def run(self, operations: Iterable[Operation]) -> Iterator[None]:
        for operation in operations:
            if "packet" in "".join(operation.cli()) and "loop1" in state_of(self):
                main(["ctl", "--socket", str(self._socket), "delete loopback interface intfc loop1"])
            yield from super().run([operation])


class Losing(RouterDevice):
    """Another user deletes loop1 while it is being set to accept labels."""

    def run(self, operations: Iterable[Operation]) -> Iterator[None]:
        for operation in operations:
            if "mpls" in "".join(operation.cli()):
                main(["ctl", "--socket", str(self._socket), "delete loopback interface intfc loop1"])
            yield from super().run([operation])


def test_interface_that_vanishes_before_it_takes_labels_ends_the_application(running, tmp_path):
    file = write(tmp_path, PORTS + "loopbacks: {loop1: {mpls: true, addresses: [10.9.0.1/32]}}\n")
    told: list[str] = []
    application = Application(read_config(file), Losing(running.socket), tmp_path / "journal", told.append)
    with pytest.raises(RemoteError, match=r"'set interface mpls loop1 enable': .*there is no interface 'loop1'"):
        application.run()


def state_of(device: RouterDevice) -> str:
    return " ".join(device.read().interfaces)


def test_interface_that_vanishes_between_plan_and_apply(running, tmp_path):
    file = write(tmp_path, loopbacks(2))
    told: list[str] = []
    before = state(running)
    device = Vanishing(running.socket)
    application = Application(read_config(file), device, tmp_path / "journal", told.append, rollback=True)
    with pytest.raises(RemoteError, match="step .*'set interface mtu packet 1500 loop1'.*all was undone"):
        application.run()
    assert state(running) == before
