"""Interfaces that are added and deleted while the router runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.waiting import wait_for
from router_run import RouterProcess, loops, router

from wirespeed.errors import UsageError

needs_taps = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/net/tun").exists(), reason="taps need root and the tun driver (modprobe tun)"
)
BASE = """\
set interface state e0 up
set interface state e1 up
set interface ip address e0 100.64.1.1/24
set interface ip address e1 100.64.2.1/24
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RouterProcess]:
    with router(tmp_path_factory.mktemp("interfaces"), ["e0=ring:a", "e1=ring:b"], BASE) as made:
        yield made


def names(running: RouterProcess) -> list[str]:
    lines = running.ask("show interface").splitlines()[1:]
    return [line.split()[0] for line in lines if not line.startswith(" ")]


def works(running: RouterProcess) -> None:
    """True if workers walk their graphs."""
    before = loops(running)
    wait_for(lambda: loops(running) > before, "the worker's next loop")


def test_subinterfaces_and_loopbacks_come_and_go(running: RouterProcess) -> None:
    assert running.ask("create sub-interfaces e1 100") == "e1.100\n"
    assert running.ask("create sub-interfaces e0 7 dot1ad 200 inner-dot1q 300 exact-match") == "e0.7\n"
    assert running.ask("create loopback interface") == "loop0\n"
    assert running.ask("create loopback interface instance 5 mac 02:11:22:33:44:55") == "loop5\n"
    assert names(running) == ["e0", "e0.7", "e1", "e1.100", "loop0", "loop5"]
    running.ask("set interface ip address e1.100 100.64.3.1/24")
    assert "100.64.3.0/24" in running.ask("show ip fib")
    running.ask("delete sub-interface e1.100")
    assert "100.64.3.0/24" not in running.ask("show ip fib")
    for line in ("delete sub-interface e0.7", "delete loopback interface loop0", "delete loopback interface loop5"):
        running.ask(line)
    assert names(running) == ["e0", "e1"]
    works(running)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("create sub-interfaces e9 5", "there is no interface 'e9'"),
        ("create sub-interfaces e0 0", "id 0 is not between 1 and"),
        ("create sub-interfaces e0 5000", "give the VLAN id: dot1q <number>"),
        ("create sub-interfaces e0 5 dot1q 4095", "VLAN id 4095 is not between 1 and 4094"),
        ("create sub-interfaces e0 5 dot1q 10 inner-dot1q 0", "VLAN id 0 is not between 1 and 4094"),
        ("create sub-interfaces e0 10 dot1q 99", "there is an interface e0.10 already"),
        ("create sub-interfaces e0 11 dot1q 10", "sub-interface e0.10 already takes these VLAN tags; give others"),
        ("create sub-interfaces e0.10 5", "e0.10 takes no sub-interfaces; ports, bonds and VXLAN tunnels do"),
        ("create sub-interfaces loop0 5", "loop0 takes no sub-interfaces; ports, bonds and VXLAN tunnels do"),
        ("create loopback interface instance 0", "there is an interface loop0 already"),
        ("delete sub-interface e0", "e0 is not a sub-interface"),
        ("delete loopback interface e0.10", "e0.10 is not a loopback"),
        ("delete interface memif e0", "e0 was not made by create interface memif"),
        ("create interface memif id 0 socket-id 9", "there is no memif socket id 9"),
        ("create memif socket id 3 filename /no/such/dir/x", None),
        ("create interface memif id 0 socket-id 3", "directory /no/such/dir does not exist"),
        ("create interface memif ring-size 100", "ring size 100 is not a power of two"),
        ("delete memif socket id 8", "there is no memif socket id 8 to delete"),
        ("delete tap e0", "e0 was not made by create tap"),
        ("create tap id 70000", "tap id 70000 is not between 0 and 65535"),
        ("create tap host-if-name far-too-long-a-name", "an interface name has at most 15 bytes"),
        pytest.param("create tap host-ns no-such-namespace", "no-such-namespace", marks=needs_taps),
    ],
)
def test_what_is_wrong_is_one_line_and_changes_nothing(running: RouterProcess, line: str, message: str | None) -> None:
    present = names(running)
    for made, name in (("create sub-interfaces e0 10", "e0.10"), ("create loopback interface", "loop0")):
        if name not in present:
            running.ask(made)
    before = names(running)
    if message is None:
        running.ask(line)
    else:
        with pytest.raises(UsageError, match=message):
            running.ask(line)
    assert names(running) == before


def test_memifs_are_made_and_deleted_at_run_time(running: RouterProcess, tmp_path: Path) -> None:
    running.ask(f"create memif socket id 1 filename {tmp_path}/m.sock")
    assert running.ask("create interface memif id 0 socket-id 1 master") == "memif1/0\n"
    with pytest.raises(UsageError, match="memif socket id 1 is used by memif1/0"):
        running.ask("delete memif socket id 1")
    running.ask("set interface state memif1/0 up")
    running.ask("set interface ip address memif1/0 100.64.9.1/24")
    far = f"m0=memif:{tmp_path}/m.sock,id=0,role=client"
    config = "set interface state m0 up\nset interface ip address m0 100.64.9.2/24\n"
    (tmp_path / "far").mkdir()
    with router(tmp_path / "far", [far], config):
        wait_for(lambda: "link up" in running.ask("show memif"), "the memif's link")
    again = running.ask("create interface memif id 1 socket-id 1 master")
    assert again == "memif1/1\n"
    running.ask("delete interface memif memif1/0")
    running.ask("delete interface memif memif1/1")
    assert not (tmp_path / "m.sock").exists()
    assert running.ask("create interface memif id 0 socket-id 1 master") == "memif1/0\n"
    running.ask("delete interface memif memif1/0")
    assert "100.64.9.0/24" not in running.ask("show ip fib")
    running.ask("delete memif socket id 1")
    works(running)


def test_what_routes_need_is_not_deleted(running: RouterProcess) -> None:
    running.ask("create sub-interfaces e1 55")
    running.ask("ip route add 20.0.0.0/8 via 100.64.77.2 e1.55")
    with pytest.raises(UsageError, match=r"routes go by e1\.55; delete these first"):
        running.ask("delete sub-interface e1.55")
    running.ask("ip route del 20.0.0.0/8")
    running.ask("delete sub-interface e1.55")
    assert "e1.55" not in names(running)


@needs_taps
def test_taps_are_made_and_deleted_at_run_time(running: RouterProcess) -> None:
    host = f"wsr{os.getpid() % 100000}"
    assert running.ask(f"create tap id 3 host-if-name {host} hw-addr 02:00:00:00:00:33") == "tap3\n"
    assert Path(f"/sys/class/net/{host}").exists()
    running.ask("set interface state tap3 up")
    assert f'name "{host}"' in running.ask("show tap")
    assert running.ask("show interface tap3").splitlines()[1].split()[:3] == ["tap3", "3", "up"]
    running.ask("delete tap tap3")
    assert not Path(f"/sys/class/net/{host}").exists()
    works(running)
