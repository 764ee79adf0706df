"""Two routers of ours with a bond between them over memif: members come and go under traffic, and a router restarts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from generator_child import GeneratorChild
from router_run import RouterProcess, router, wait_for
from scapy.all import IP, UDP, Ether, Raw

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.stream_records import Stream

FLOWS, RATE_PPS = 16, 500.0


def ports(directory: Path, side: str) -> list[str]:
    role = "server" if side == "a" else "client"
    wires = [f"b{n}=memif:{directory}/b{n}.sock,role={role}" for n in (0, 1)]
    return [f"e0=memif:{directory}/{side}.sock,role=server", *wires]


def config(mode: str, side: str) -> str:
    return (
        "set interface state e0 up\nset interface state b0 up\nset interface state b1 up\n"
        f"create bond mode {mode} hw-addr 02:fe:00:00:00:0{side}\n"
        "bond add BondEthernet0 b0\nbond add BondEthernet0 b1\nset interface state BondEthernet0 up\n"
        "set interface l2 xconnect e0 BondEthernet0\nset interface l2 xconnect BondEthernet0 e0\n"
    )


@contextmanager
def side(directory: Path, name: str, mode: str) -> Iterator[RouterProcess]:
    own = directory / name
    own.mkdir(exist_ok=True)
    with router(own, ports(directory, name), config(mode, name)) as running:
        yield running


def flow(ident: int) -> Stream:
    headers = Ether(dst="00:00:00:02:00:00", src="00:00:00:01:00:00") / IP(src="16.0.0.1", dst="48.0.0.1")
    packet = bytes(headers / UDP(sport=1025 + ident, dport=12) / Raw(b"x" * 40))
    return Stream(ident, packet, rate_pps=RATE_PPS, flow_kind=FlowKind.LATENCY, flow_id=ident)


def active(running: RouterProcess) -> int:
    return int(running.ask("show bond").splitlines()[1].split()[4])


def wait_open(*routers: RouterProcess) -> None:
    wait_for(lambda: all(active(one) == 2 for one in routers), "two active members on both sides")


def wait_traffic(child: GeneratorChild, packets: int = 2000) -> None:
    before = child.snapshot().ports[1].rx_packets
    wait_for(lambda: child.snapshot().ports[1].rx_packets > before + packets, "traffic through the bond")


def sent_by_members(running: RouterProcess) -> list[int]:
    shown = running.ask("show interface b0 b1")
    return [int(line.split()[-1]) for line in shown.splitlines() if "tx packets" in line]


def test_members_go_and_come_back_and_no_flow_gets_out_of_order(tmp_path):
    mode = "lacp load-balance l34"
    with side(tmp_path, "a", mode) as one, side(tmp_path, "b", mode) as other:
        wait_open(one, other)
        gates = [f"memif:{tmp_path}/{name}.sock,role=client" for name in ("a", "b")]
        with GeneratorChild(*gates) as child:
            child.start(0, *map(flow, range(FLOWS)))
            wait_traffic(child)
            assert all(sent_by_members(one))
            for member in ("b0", "b1", "b0"):
                one.ask(f"set interface state {member} down")
                assert active(one) == 1
                wait_for(lambda: active(other) == 1, "the other side to notice")
                wait_traffic(child)
                one.ask(f"set interface state {member} up")
                wait_open(one, other)
                wait_traffic(child)
            child.change("stop", 0)
            child.finish()
            seen = [child.latency(ident) for ident in range(FLOWS)]
            counts = [child.flow(FlowKind.LATENCY, ident) for ident in range(FLOWS)]
        assert [(one.out_of_order, one.duplicate) for one in seen] == [(0, 0)] * FLOWS
        for row, had in zip(counts, seen, strict=True):
            # What is missing at the end leaves no gap.
            assert row[1].rx_packets == had.packets <= row[0].tx_packets - had.dropped


def test_a_router_that_restarts_is_a_partner_again(tmp_path):
    mode = "lacp load-balance l34"
    with side(tmp_path, "a", mode) as one:
        for _ in range(2):
            assert active(one) == 0
            with side(tmp_path, "b", mode) as other:
                wait_open(one, other)
                told = [
                    running.ask("show lacp").count("MUX-state: COLLECTING_DISTRIBUTING") for running in (one, other)
                ]
                assert told == [2, 2]
            wait_for(lambda: active(one) == 0, "the loss of both members")


def test_one_side_without_lacp_leaves_the_other_closed(tmp_path):
    with side(tmp_path, "a", "lacp") as one, side(tmp_path, "b", "xor") as other:
        wait_for(lambda: active(other) == 2, "the side without LACP")
        wait_for(lambda: one.ask("show lacp").count("RX-state: DEFAULTED") == 2, "the side that waits in vain")
        assert active(one) == 0
