"""Monitoring of a machine: rates between two readings, the cost of a packet, a restart, a machine
that does not answer.
"""

from __future__ import annotations

import time

from wirespeed.errors import ConnectionFault
from wirespeed.exporter.told import TargetValues
from wirespeed.web.machine import MOST_FRAMES, FollowedMachine
from wirespeed.web.machine_frames import machine_frame


def told(began: object = 1, **families: list[tuple[tuple[str, ...], float]]) -> TargetValues:
    one = TargetValues(began=began)
    for family, values in families.items():
        one.add(family, values)
    return one


def router(packets: float, clocks: float, drops: float = 0.0, began: object = 1) -> TargetValues:
    return told(
        began,
        router_interface_rx_packets_total=[(("r", "e0"), packets), (("r", "e1"), 0.0)],
        router_interface_tx_packets_total=[(("r", "e0"), 0.0), (("r", "e1"), packets - drops)],
        router_interface_drops_total=[(("r", "e0"), drops)],
        router_node_clocks_total=[(("r", "all", "dpdk-input"), clocks), (("r", "all", "ip4-lookup"), clocks / 2)],
        router_node_vectors_total=[(("r", "all", "dpdk-input"), packets), (("r", "all", "ip4-lookup"), packets)],
        router_node_calls_total=[(("r", "all", "dpdk-input"), packets), (("r", "all", "ip4-lookup"), packets / 50)],
    )


def test_what_was_counted_between_two_looks_is_a_rate():
    frame = machine_frame(router(100, 1000), router(1100, 101_000, drops=250), 2.0, 7.0)
    assert frame["t"] == 7.0
    assert frame["ways"] == {"e0": [0.0, 500.0, 0.25], "e1": [375.0, 0.0, 0.0]}
    assert frame["cost"] == {"cycles": 150.0, "vectors": 50.0, "classes": {"input": 100.0, "lookup": 50.0}}


def test_a_router_without_packets_has_no_cost_and_a_counter_that_went_back_gained_nothing():
    frame = machine_frame(router(100, 1000), router(50, 2000), 1.0, 1.0)
    assert "cost" not in frame
    assert frame["ways"]["e0"] == [0.0, 0.0, 0.0]


def test_a_generators_ports_and_what_it_could_not_send():
    counts = [(("g", "0"), 0.0)], [(("g", "0"), 300.0)]
    before, after = (told(generator_tx_packets_total=one, generator_rx_packets_total=one) for one in counts)
    after.add("generator_unsent_packets_total", [(("g", "0", "late"), 7.0), (("g", "0", "refused"), 5.0)])
    frame = machine_frame(before, after, 1.0, 1.0)
    assert frame["ways"] == {"port 0": [300.0, 300.0, 0.0]}
    assert frame["tester"]["unsent"] == 12


class Faked:
    name, kind = "r", "router"

    def __init__(self) -> None:
        self.answers: list[TargetValues | Exception] = []

    def read(self) -> TargetValues:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def looks(machine: FollowedMachine, clock: list[float], *times: float) -> None:
    for at in times:
        clock[0] = at
        machine.look()


def test_it_is_asked_once_a_second_begins_anew_after_a_restart_and_says_why_it_is_silent(monkeypatch):
    target, clock = Faked(), [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    machine = FollowedMachine(target, wait_s=60)
    target.answers = [router(0, 0), router(100, 10), router(900, 20, began=2), ConnectionFault("gone"), router(0, 0)]
    looks(machine, clock, 100.0, 100.4, 101.0)
    assert (len(machine.frames), machine.epoch, machine.running) == (1, 1, True)
    looks(machine, clock, 102.0)
    assert (machine.frames, machine.epoch) == ([], 2)
    looks(machine, clock, 103.0)
    assert (machine.running, machine.fault) == (False, "gone")
    looks(machine, clock, 104.0)
    assert (machine.running, machine.fault, machine.epoch) == (True, "", 3)
    assert not target.answers


def test_an_hour_is_kept_and_a_long_time_without_a_look_is_none_of_its_rates(monkeypatch):
    target, clock = Faked(), [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    machine = FollowedMachine(target, wait_s=60)
    target.answers = [router(number, number) for number in range(MOST_FRAMES + 3)]
    looks(machine, clock, *range(1, MOST_FRAMES + 3))
    assert MOST_FRAMES // 2 <= len(machine.frames) <= MOST_FRAMES
    epoch = machine.epoch
    looks(machine, clock, MOST_FRAMES + 600.0)
    assert (machine.frames, machine.epoch) == ([], epoch + 1)
