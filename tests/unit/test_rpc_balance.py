"""Data of the RPC that attribute lost packets to their cause."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from test_rpc_methods import Session

from wirespeed._native.generator import FrameKinds
from wirespeed.client.framing import unpack
from wirespeed.seam.ports import PortMedium
from wirespeed.stolen_time import StolenTime, parse_stat

STAT = """\
cpu  100 0 50 900 10 0 5 1234 0 0
cpu0 50 0 25 450 5 0 3 1000 0 0
cpu1 50 0 25 450 5 0 2 234 0 0
intr 1 2 3
ctxt 12
"""


@pytest.fixture
def session() -> Session:
    one = Session()
    one.acquire(0, 1)
    return one


def stats(session: Session, port: int = 0) -> dict[str, Any]:
    answer: dict[str, Any] = session.call("get_port_stats", port_id=port)
    return answer


@pytest.mark.parametrize(("medium", "word"), [(PortMedium.RING, "ring"), (PortMedium.QUEUE, "queue")])
def test_the_medium_is_told_with_each_port(session: Session, medium: PortMedium, word: str) -> None:
    session.core.set_medium(1, medium)
    assert [port["medium"] for port in session.call("get_system_info")["ports"]] == ["ring", word]
    assert session.call("get_port_status", port_id=1)["attr"]["medium"] == word


def test_what_was_due_is_counted_once(session: Session) -> None:
    session.core.count(
        0, intended_packets=15, tx_packets=5, refused_packets=4, no_buffer_packets=3, late_packets=3, rx_missed=7
    )
    told = stats(session)
    unsent = [told[f"{why}_packets"] for why in ("refused", "no_buffer", "late")]
    assert (told["intended_packets"], told["opackets"], unsent) == (15, 5, [4, 3, 3])
    assert told["asked_packets"] == 15  # the former name
    assert (told["rx_missed"], told["ierrors"]) == (7, 7)
    names = session.call("get_port_xstats_names", port_id=0)["xstats_names"]
    values = session.call("get_port_xstats_values", port_id=0)["xstats_values"]
    assert dict(zip(names, values, strict=True))["tx_no_buffer_packets"] == 3


def test_pause_frames_are_told_where_the_driver_counts_them(session: Session) -> None:
    assert not {"rx_pause_frames", "tx_pause_frames"} & stats(session).keys()
    session.core.count(0, rx_pause_frames=0)
    assert stats(session)["rx_pause_frames"] == 0
    assert "tx_pause_frames" not in stats(session)
    session.core.count(0, rx_pause_frames=9, tx_pause_frames=2)
    assert (stats(session)["rx_pause_frames"], stats(session)["tx_pause_frames"]) == (9, 2)


def test_kinds_of_frames_are_told_by_name(session: Session) -> None:
    session.core.count(1, rx_kinds=FrameKinds(1, 2, 3, 4, 5, 6))
    told = {"icmp_error": 1, "icmp6_error": 2, "arp": 3, "nd": 4, "lldp": 5, "control": 6}
    assert kinds(stats(session, 1)) == told
    assert set(kinds(stats(session, 0)).values()) == {0}


def kinds(counters: dict[str, Any]) -> dict[str, int]:
    return {key.removeprefix("rx_kind_"): count for key, count in counters.items() if key.startswith("rx_kind_")}


def test_all_counters_of_a_port_are_numbers(session: Session) -> None:
    """T-Rex's client adds up those of its ports."""
    assert all(isinstance(value, int | float) for value in stats(session).values())


def test_what_is_published_stays_numbers(session: Session) -> None:
    """T-Rex's clients take each key with a port number for a counter."""
    session.server.outgoing()
    session.call("publish_now", key=5, baseline=False)
    data = json.loads(unpack(session.server.outgoing()[0])[0])["data"]
    counters = {name: value for name, value in data.items() if name.endswith("-0")}
    assert {"opackets-0", "no_buffer_packets-0"} <= counters.keys()
    assert all(isinstance(value, int | float) for value in counters.values())
    assert "machine" not in data


def test_flow_control_is_read_back_as_it_is(session: Session) -> None:
    session.core.flow_controls[0] = 3
    session.owned("set_port_attr", attr={"flow_ctrl_mode": {"mode": 0}})
    assert session.call("get_port_status", port_id=0)["attr"]["fc"] == {"mode": 0}
    session.core.flow_controls[0] = 1  # the driver's own doing
    assert session.call("get_port_status", port_id=0)["attr"]["fc"] == {"mode": 1}
    assert session.call("get_port_status", port_id=1)["attr"]["fc"] == {"mode": -1}


def test_the_machine_is_told_at_the_instant_of_the_counters(session: Session) -> None:
    session.core.preemption = replace(
        session.core.preemption, preemptions=2, preempted_s=0.75, longest_preemption_s=0.5
    )
    port, total = session.batch(("get_port_stats", {"port_id": 0}), ("get_global_stats", {}))
    machine = total["machine"]
    assert machine["ts"] == port["ts"]
    present = {"preempted_s": 0.75, "preemptions": 2, "longest_preemption_s": 0.5}
    former = {"absent_s": 0.75, "absences": 2, "longest_absent_s": 0.5}
    assert machine["workers"] == [{"cpu": 0, **present, **former}]
    assert machine["cpus"] >= 1
    assert machine["steal_s"] >= 0


def test_stolen_time_is_of_all_cpus() -> None:
    assert parse_stat(STAT, 100) == StolenTime(steal_s=12.34, cpus=2)
