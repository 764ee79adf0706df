"""All families that the exporter has, each declared once: name, type, labels and help.

Names follow Prometheus' conventions: one prefix, base units, `_total` on what only grows, `_info` on what is always 1.
Each has the label `target` first, but for tests, which have `test`. Counters are the target's own; one that starts anew
begins at 0, which `rate()` knows how to take, and `wirespeed_target_restarts_total` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True)
class Family:
    """`name` is as Prometheus shows it, so counters end with `_total`."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    help: str


def _family(kind: Kind, name: str, labels: str, text: str) -> Family:
    return Family(f"wirespeed_{name}", kind, tuple(labels.split()), text)


_OF_NODE, _OF_WORKER, _OF_INTERFACE = "target thread node", "target thread", "target interface"
_OF_PORT, _OF_TEST = "target port", "test direction"

_ALL = (
    _family("gauge", "exporter_build_info", "version", "The exporter's version; always 1."),
    _family("gauge", "up", "target kind", "Whether the target answers: 0 after an error or none in time."),
    _family("gauge", "target_age_seconds", "target kind", "Age of the target's readings at this scrape."),
    _family("gauge", "scrape_duration_seconds", "target kind", "How long the target took to answer."),
    _family(
        "counter", "target_restarts_total", "target kind", "Starts of the target that were noticed, but the first."
    ),
    _family("gauge", "router_info", "target version", "Version and kind of the router; always 1."),
    _family("gauge", "router_start_time_seconds", "target", "When the router started, since 1970."),
    _family("gauge", "router_clock_hertz", "target", "Ticks per second of the clocks that the router counts."),
    _family("counter", "router_node_calls_total", _OF_NODE, "Calls of a node of the graph."),
    _family("counter", "router_node_vectors_total", _OF_NODE, "Packets that a node of the graph was given."),
    _family("counter", "router_node_clocks_total", _OF_NODE, "Clock ticks spent in a node of the graph."),
    _family("counter", "router_node_suspends_total", _OF_NODE, "Rounds that a node of the graph gave up."),
    _family("counter", "router_worker_loops_total", _OF_WORKER, "Turns of a worker's loop."),
    _family("counter", "router_worker_clocks_total", _OF_WORKER, "Clock ticks since a worker's loop began."),
    _family("counter", "router_worker_rest_clocks_total", _OF_WORKER, "Of them, those in which the worker slept."),
    _family("counter", "router_worker_idle_clocks_total", _OF_WORKER, "Of them, those of turns without a packet."),
    _family("counter", "router_worker_absent_clocks_total", _OF_WORKER, "Of them, those in which its CPU was taken."),
    _family("counter", "router_interface_rx_packets_total", _OF_INTERFACE, "Packets received."),
    _family("counter", "router_interface_rx_bytes_total", _OF_INTERFACE, "Bytes received, without FCS."),
    _family("counter", "router_interface_tx_packets_total", _OF_INTERFACE, "Packets sent."),
    _family("counter", "router_interface_tx_bytes_total", _OF_INTERFACE, "Bytes sent, without FCS."),
    _family("counter", "router_interface_drops_total", _OF_INTERFACE, "Packets dropped, by where they came in."),
    _family("counter", "router_interface_rx_miss_total", _OF_INTERFACE, "Packets the NIC had no descriptor for."),
    _family("counter", "router_interface_rx_no_buf_total", _OF_INTERFACE, "Packets there was no buffer for."),
    _family("counter", "router_interface_tx_error_total", _OF_INTERFACE, "Packets not sent, such as by a full ring."),
    _family("counter", "router_errors_total", "target node reason", "Packets and events by node and reason."),
    _family("gauge", "router_buffers", "target pool state", "Packet buffers."),
    _family("gauge", "router_heap_bytes", "target heap state", "Memory of the router's heaps."),
    _family("histogram", "router_vector_size", "target", "Packets that a turn brought in, where it brought any."),
    _family("gauge", "router_fib_routes", "target family", "Routes in the forwarding tables (wirespeed alone)."),
    _family("gauge", "router_neighbors", "target family state", "Known neighbours (wirespeed alone)."),
    _family("gauge", "generator_info", "target program", "Version and kind of the generator; always 1."),
    _family("gauge", "generator_port_up", _OF_PORT, "Whether the port has a link."),
    _family("gauge", "generator_port_sending", _OF_PORT, "Whether the port sends streams, or pauses."),
    _family("gauge", "generator_port_line_bytes_per_second", _OF_PORT, "The port's line, where it has one."),
    _family("counter", "generator_tx_packets_total", _OF_PORT, "Packets sent."),
    _family("counter", "generator_rx_packets_total", _OF_PORT, "Packets received."),
    _family("counter", "generator_tx_bytes_total", _OF_PORT, "Bytes sent, with FCS."),
    _family("counter", "generator_rx_bytes_total", _OF_PORT, "Bytes received, with FCS."),
    _family("counter", "generator_tx_errors_total", _OF_PORT, "Packets the port failed to send."),
    _family("counter", "generator_rx_errors_total", _OF_PORT, "Packets received with an error."),
    _family("counter", "generator_asked_packets_total", _OF_PORT, "Packets that were due, by a wirespeed generator."),
    _family(
        "counter",
        "generator_unsent_packets_total",
        "target port reason",
        "Packets that were due and not sent: refused (the queue was full), no_buffer, late, by a wirespeed generator.",
    ),
    _family("counter", "generator_rx_missed_packets_total", _OF_PORT, "Packets that the tester itself missed."),
    _family("gauge", "test_running", "test kind", "Whether the test is under way, by its journal."),
    _family("gauge", "test_phase", "test phase", "1 for the phase that the running test is in, 0 for the others."),
    _family("gauge", "loadtest_info", "test kind", "A test whose file is watched; always 1."),
    _family("gauge", "test_figure_pps", "test figure", "A rate of the verdict on the test that ended."),
    _family("gauge", "test_figure_loss_ratio", "test figure", "What was lost of the load of that figure."),
    _family("gauge", "test_limited_by", "test limit", "1 for what limited the test that ended, 0 for the rest."),
    _family("counter", "loadtest_samples_total", "test", "Samples, trials or seconds measured."),
    _family("gauge", "loadtest_line_ratio", "test", "The last offered load, as a share of the line."),
    _family("counter", "loadtest_asked_packets_total", _OF_TEST, "Packets that were due."),
    _family("counter", "loadtest_offered_packets_total", _OF_TEST, "Packets that the device was offered."),
    _family("counter", "loadtest_received_packets_total", _OF_TEST, "Packets of the test that came back."),
    _family("counter", "loadtest_lost_packets_total", _OF_TEST, "Packets offered that did not come back."),
    _family("counter", "loadtest_unsent_packets_total", _OF_TEST, "Packets due and not offered: the tester's share."),
    _family("gauge", "loadtest_latency_average_seconds", _OF_TEST, "Mean latency of the last interval."),
    _family("gauge", "loadtest_latency_max_seconds", _OF_TEST, "Worst latency of the last interval."),
    _family("histogram", "loadtest_latency_seconds", _OF_TEST, "Latency of the test's packets so far."),
    _family("counter", "dut_cpu_seconds_total", "target cpu mode", "Time of a CPU by what it did."),
    _family("counter", "dut_softirqs_total", "target cpu kind", "Softirqs."),
    _family("counter", "dut_interrupts_total", "target cpu name", "Interrupts, where there were any."),
    _family("counter", "dut_softnet_total", "target cpu event", "What softnet_stat counts."),
    _family("gauge", "dut_cpu_frequency_hertz", "target cpu", "Clock of a CPU."),
    _family("counter", "dut_nic_total", "target interface counter", "Counters of an interface."),
    _family("gauge", "dut_temperature_celsius", "target sensor", "Temperature of a sensor."),
    _family("gauge", "power_watts", "target source zone", "Power, as the meter tells it."),
    _family("gauge", "module_temperature_celsius", _OF_INTERFACE, "Temperature of a pluggable module."),
)

FAMILIES = {family.name: family for family in _ALL}

PHASES = ("warm-up", "ramp", "hold", "step", "trial", "drain")
"""Values of `phase`; result files say `warmup` for the first."""
