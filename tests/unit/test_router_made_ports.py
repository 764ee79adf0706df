"""create pcap, create ring, pcap replay and delete interface on a core that forwards nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.seam.ports import RxStart


@pytest.fixture
def console(core: FakeRouterCore, tmp_path: Path) -> Console:
    return Console(core, tmp_path)


def run(console: Console, line: str) -> list[str]:
    return list(console.run(line))


def index_of(console: Console, name: str) -> int:
    index = console.interface_index(name)
    assert index is not None
    return index


def test_a_pcap_port_reads_once_its_interface_is_up(core: FakeRouterCore, console: Console, tmp_path: Path) -> None:
    assert run(console, "create pcap input in.pcap output /tmp/out.pcap hw-addr 02:00:00:00:00:07") == ["pcap0"]
    index = index_of(console, "pcap0")
    assert str(core.specs[index]) == f"pcap:{tmp_path}/in.pcap,out=/tmp/out.pcap"
    assert core.rx_starts[index] is RxStart.WHEN_UP
    assert core.interface(index).mac == "02:00:00:00:00:07"
    assert run(console, "create pcap output out.pcap") == ["pcap1"]


def test_one_that_is_held_reads_when_told_to(core: FakeRouterCore, console: Console) -> None:
    assert run(console, "create pcap name far input in.pcap loop hold") == ["far"]
    assert core.rx_starts[index_of(console, "far")] is RxStart.WHEN_TOLD
    run(console, "pcap replay far")
    with pytest.raises(UsageError, match="port far already receives"):
        run(console, "pcap replay far")


def test_ports_on_rings(core: FakeRouterCore, console: Console) -> None:
    assert run(console, "create ring wire name r0") == ["r0"]
    assert run(console, "create ring wire") == ["ring0"]
    assert str(core.specs[index_of(console, "ring0")]) == "ring:wire"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("create pcap", "create pcap needs input <file>, or at least output <file>"),
        ("create pcap output out.pcap hold", "create pcap needs input"),
        ("create pcap input a,b.pcap", "the name of a packet file cannot contain a comma"),
        ("create ring a,b", "ring a,b: a name cannot contain a comma"),
        ("create ring a name 9", "'9' is not an interface name"),
        ("create ring a name e0", "there is an interface e0 already; give another name"),
        ("delete interface e0", "e0 was not created by a command; interfaces given at the start"),
    ],
)
def test_what_is_wrong_is_one_line(console: Console, line: str, message: str) -> None:
    before = console.interface_names()
    with pytest.raises(UsageError, match=message):
        run(console, line)
    assert console.interface_names() == before


def test_delete_interface_takes_all_kinds_that_commands_made(console: Console, tmp_path: Path) -> None:
    before = console.interface_names()
    run(console, f"create memif socket id 1 filename {tmp_path}/m.sock")
    made = [
        "create pcap output out.pcap",
        "create ring wire",
        "create tap id 3",
        "create interface memif id 4 socket-id 1",
        "create loopback interface",
        "create bond mode xor",
        "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 7",
        "create sub-interfaces e0 100",
    ]
    for name in [run(console, line)[0] for line in made]:
        run(console, f"delete interface {name}")
    assert console.interface_names() == before
    assert not console.ports and not console.taps and not console.memifs.by_name
    run(console, "delete memif socket id 1")  # which is now unused
