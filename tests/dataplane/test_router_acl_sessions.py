"""permit+reflect in the real router: replies received by another worker, and rules replaced under traffic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from generator_child import GeneratorChild
from harness.cpus import ALL_CPUS
from harness.waiting import wait_for
from router_run import CROSSED, HOST0, HOST1, RouterProcess, assert_conserved, route, router
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from test_router_floods import checksum

from wirespeed._native.generator import PortTraffic
from wirespeed._native.stream_records import Op, OpKind, Stream
from wirespeed.dut.errors import parse_errors

CPUS = sorted(ALL_CPUS)
TWO = ("--cpu", f"{CPUS[0]},{CPUS[-1]}")
needs_two_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="two workers need two CPUs")

FLOWS = 512
ASKED = bytes(Ether(src=HOST0, dst=HOST1) / IP(src="16.0.0.0", dst="48.0.0.1") / UDP(sport=5, dport=53) / bytes(18))
ANSWER = bytes(Ether(src=HOST1, dst=HOST0) / IP(src="48.0.0.1", dst="16.0.0.0") / UDP(sport=53, dport=5) / bytes(18))
OTHERS = ", ".join(f"deny src 20.{i}.0.0/16 dst 48.0.0.0/8 proto 17 dport {i}" for i in range(1, 100))
REFLECT = "permit+reflect src 16.0.0.0/8 dst 48.0.0.0/8 proto 17 dport 53"
"""Two rule sets with the same decisions about the flows, and their rule at opposite ends: half of one would deny the
flows.
"""
SETS = (f"{REFLECT}, {OTHERS}, deny", f"{OTHERS}, deny src 16.0.0.0/8 dst 49.0.0.0/8, {REFLECT}")
GUARDED = (
    f"set acl-plugin acl {SETS[0]} tag in\nset acl-plugin acl deny tag out\n"
    "set acl-plugin interface e0 input acl 0\nset acl-plugin interface e0 output acl 1\n"
)


def one_each(frame: bytes, offset: int) -> list[bytes]:
    """A frame of each host, whose address is at `offset`."""
    headers = (frame[14 : offset + 2] + host.to_bytes(2, "big") + frame[offset + 4 : 34] for host in range(FLOWS))
    cleared = (header[:10] + bytes(2) + header[12:] for header in headers)
    return [frame[:14] + header[:10] + checksum(header) + header[12:] + frame[34:] for header in cleared]


def flows(ident: int, frame: bytes, offset: int) -> Stream:
    """Endless packets of all hosts in turn."""
    ops = (
        Op(OpKind.VAR, size=4, min=0x10000000, max=0x10000000 + FLOWS - 1, init=0x10000000),
        Op(OpKind.WRITE, size=4, offset=offset),
        Op(OpKind.FIX_IP4, offset=14),
    )
    return Stream(ident, frame, rate_pps=1e4, ops=ops)


def sessions(running: RouterProcess, what: str) -> int:
    found = re.search(what + r" (\d+)", running.ask("show acl-plugin sessions"))
    assert found
    return int(found[1])


@needs_two_cpus
def test_answers_by_another_worker_and_rules_replaced_under_traffic(tmp_path: Path) -> None:
    """Worker 0 receives the requests, worker 1 the replies; and each packet meets a whole ACL."""
    placed = "".join(f"set interface rx-placement e{i} queue 0 worker {i}\n" for i in (0, 1))
    served = [f"e{i}=memif:{tmp_path}/w{i}.sock,role=server" for i in (0, 1)]
    wires = [f"memif:{tmp_path}/w{i}.sock,zero-copy=yes" for i in (0, 1)]
    with router(tmp_path, served, CROSSED + placed + GUARDED, *TWO) as running, GeneratorChild(*wires) as child:

        def ports() -> tuple[PortTraffic, ...]:
            return child.snapshot().ports

        def counted(reason: str) -> int:
            return sum(row.count for row in parse_errors(running.ask("show errors")) if reason in row.reason)

        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "both links")
        # As many packets as a ring holds: none is refused, even on a busy machine.
        child.push(1, one_each(ANSWER, 30))
        wait_for(lambda: counted("ACL deny packets") == FLOWS, "denials")
        child.push(0, one_each(ASKED, 26))
        wait_for(lambda: ports()[1].rx_packets == FLOWS, "a packet of each flow")
        assert sessions(running, "Sessions active: add") == FLOWS
        child.start(0, flows(3, ASKED, 26))
        child.start(1, flows(4, ANSWER, 30))
        for change in range(1, 21):
            before = [port.rx_packets for port in ports()]
            running.ask(f"set acl-plugin acl {SETS[change % 2]} tag in index 0")
            running.ask("set acl-plugin acl deny tag out index 1")
            wait_for(
                lambda before=before: all(
                    port.rx_packets > count + FLOWS for port, count in zip(ports(), before, strict=True)
                ),
                "packets both ways after a change",
            )
        for port in (0, 1):
            child.change("stop", port)
        sent = sum(port.tx_packets for port in child.finish())
        # Packets that the generator reads too late are lost only at the router's output.
        wait_for(
            lambda: sum(port.rx_packets for port in ports()) + FLOWS + counted("dpdk tx failure") == sent, "all packets"
        )
        assert counted("ACL deny packets") == FLOWS
        assert sessions(running, "refused for lack of room") == sessions(running, "deleted") == 0
        assert sessions(running, "Packets: of sessions") == sent - 2 * FLOWS
        # Other rules: sessions that none of them would open are deleted with the old rules.
        running.ask("set acl-plugin acl permit+reflect src 16.0.0.0/25 proto 17 index 0")
        assert sessions(running, "deleted") == FLOWS - 128
        running.ask("clear acl-plugin sessions")
        assert sessions(running, "deleted") == FLOWS


def test_sessions_are_shown_and_bounded(tmp_path: Path) -> None:
    asked = [
        bytes(Ether(src=HOST0, dst=HOST1) / IP(src="16.0.0.1", dst="48.0.0.1") / UDP(sport=port, dport=53) / b"q")
        for port in (1, 2, 3)
    ]
    limits = "set acl-plugin session table max-entries 2\nset acl-plugin session timeout udp idle 30\n"
    shows = ["show acl-plugin sessions verbose", "show acl-plugin acl"]
    outcome = route(tmp_path, CROSSED + limits + GUARDED, asked, [], ask=shows, fresh=True)
    assert_conserved(outcome)
    assert outcome.frames[1] == asked[:2]
    shown, acls = outcome.answers
    lines = shown.splitlines()
    assert lines[:4] == [
        "Sessions total: add 2 - del 0 = 2",
        "Sessions active: add 2 - deact 0 = 2",
        "Sessions gone: expired 0 deleted 0",
        "Packets: of sessions 0 refused for lack of room 1",
    ]
    assert "    sw_if_index 1: add 2 - del 0 = 2" in lines
    assert "  max-entries 2" in lines
    assert "  timeout udp idle 30" in lines
    live = [re.sub(r"idle \d+", "idle", line) for line in lines[-2:]]
    assert live == [f"  sw_if_index 1 input udp 16.0.0.1 {port} -> 48.0.0.1 53 idle of 30" for port in (1, 2)]
    assert "0: ipv4 permit+reflect src 16.0.0.0/8" in acls
    assert outcome.counters["acl-plugin-in-l2: too many sessions to add new"] == 1
