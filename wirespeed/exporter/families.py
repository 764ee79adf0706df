"""All metric families of the exporter, each declared once: name, type, labels and help.

Names follow Prometheus' conventions: one prefix, base units, `_total` for counters, `_info` for constants of value 1.
The first label is `target`, or `test` for tests. Counters are the target's own and restart at 0 with it; `rate()`
recognises that, and `wirespeed_target_restarts_total` counts it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True)
class Family:
    """`name` is the name in Prometheus, so counters end with `_total`."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    help: str


def _family(name: str, labels: str, text: str, kind: Kind | None = None) -> Family:
    """`kind` follows from the name, but of a histogram."""
    usual: Kind = "counter" if name.endswith("_total") else "gauge"
    return Family(f"wirespeed_{name}", kind or usual, tuple(labels.split()), text)


_OF_NODE, _OF_WORKER, _OF_INTERFACE = "target thread node", "target thread", "target interface"
_OF_PORT, _OF_TEST = "target port", "test direction"

_ALL = (
    _family("exporter_build_info", "version", "The exporter's version; always 1."),
    _family("up", "target kind", "1 if the target answers; 0 after an error or a timeout."),
    _family("target_age_seconds", "target kind", "Age of the target's readings at this scrape."),
    _family("scrape_duration_seconds", "target kind", "How long the target took to answer."),
    _family("target_restarts_total", "target kind", "Restarts of the target that the exporter noticed."),
    _family("router_info", "target version", "Version and kind of the router; always 1."),
    _family("router_start_time_seconds", "target", "Start time of the router, in seconds since 1970."),
    _family("router_clock_hertz", "target", "Frequency of the clock of the router's cycle counters."),
    _family("router_node_calls_total", _OF_NODE, "Calls of a node of the graph."),
    _family("router_node_vectors_total", _OF_NODE, "Packets processed by a node of the graph."),
    _family("router_node_clocks_total", _OF_NODE, "Clock cycles of a node of the graph."),
    _family("router_node_suspends_total", _OF_NODE, "Suspensions of a process node, as VPP counts them."),
    _family("router_worker_loops_total", _OF_WORKER, "Iterations of a worker's loop."),
    _family("router_worker_clocks_total", _OF_WORKER, "Clock cycles since the start of a worker's loop."),
    _family("router_worker_rest_clocks_total", _OF_WORKER, "Cycles of a worker's loop while it slept."),
    _family("router_worker_idle_clocks_total", _OF_WORKER, "Cycles of a worker's loop in iterations without packets."),
    _family("router_worker_preempted_clocks_total", _OF_WORKER, "Cycles of a worker's loop while it was preempted."),
    _family("router_interface_rx_packets_total", _OF_INTERFACE, "Packets received."),
    _family("router_interface_rx_bytes_total", _OF_INTERFACE, "Bytes received, without FCS."),
    _family("router_interface_tx_packets_total", _OF_INTERFACE, "Packets sent."),
    _family("router_interface_tx_bytes_total", _OF_INTERFACE, "Bytes sent, without FCS."),
    _family("router_interface_drops_total", _OF_INTERFACE, "Packets dropped, by receiving interface."),
    _family("router_interface_rx_miss_total", _OF_INTERFACE, "Packets missed because the receive queue was full."),
    _family("router_interface_rx_no_buf_total", _OF_INTERFACE, "Packets lost because no buffer was free."),
    _family("router_interface_tx_error_total", _OF_INTERFACE, "Packets not sent, e.g. because the ring was full."),
    _family("router_errors_total", "target node reason", "Packets and events, by node and reason."),
    _family("router_buffers", "target pool state", "Packet buffers by pool and state."),
    _family("router_heap_bytes", "target heap state", "Memory of the router's heaps."),
    _family(
        "router_vector_size", "target", "Packets received per iteration, of iterations that received any.", "histogram"
    ),
    _family("router_fib_routes", "target family", "Routes in the forwarding tables (wirespeed only)."),
    _family("router_neighbors", "target family state", "Known neighbours (wirespeed only)."),
    _family("generator_info", "target program", "Version and kind of the generator; always 1."),
    _family("generator_port_up", _OF_PORT, "1 if the port has a link."),
    _family("generator_port_sending", _OF_PORT, "1 while the port sends streams or is paused."),
    _family("generator_port_line_bytes_per_second", _OF_PORT, "Line rate of the port, if it has one."),
    _family("generator_tx_packets_total", _OF_PORT, "Packets sent."),
    _family("generator_rx_packets_total", _OF_PORT, "Packets received."),
    _family("generator_tx_bytes_total", _OF_PORT, "Bytes sent, with FCS."),
    _family("generator_rx_bytes_total", _OF_PORT, "Bytes received, with FCS."),
    _family("generator_tx_errors_total", _OF_PORT, "Packets that the port failed to send."),
    _family("generator_rx_errors_total", _OF_PORT, "Packets received with an error."),
    _family("generator_intended_packets_total", _OF_PORT, "Packets of the intended load (wirespeed only)."),
    _family(
        "generator_unsent_packets_total",
        "target port reason",
        "Packets due and not sent (wirespeed only): refused (the queue was full), no_buffer, late.",
    ),
    _family("generator_rx_missed_packets_total", _OF_PORT, "Packets that the tester missed on reception."),
    _family("test_running", "test kind", "1 while the test runs, by its journal."),
    _family("test_phase", "test phase", "1 for the current phase of a running test, 0 for the others."),
    _family("loadtest_info", "test kind", "A test whose file is read; always 1."),
    _family("test_figure_pps", "test figure", "Rates of the verdict of a complete test."),
    _family("test_figure_loss_ratio", "test figure", "Loss ratio at the load of that figure."),
    _family("test_limited_by", "test limit", "1 for the limit of a complete test, 0 for the others."),
    _family("loadtest_samples_total", "test", "Samples, trials or seconds measured."),
    _family("loadtest_line_ratio", "test", "Last offered load as a share of the line rate."),
    _family("loadtest_intended_packets_total", _OF_TEST, "Packets of the intended load."),
    _family("loadtest_offered_packets_total", _OF_TEST, "Packets offered to the DUT."),
    _family("loadtest_received_packets_total", _OF_TEST, "Test packets received."),
    _family("loadtest_lost_packets_total", _OF_TEST, "Packets offered and not received."),
    _family("loadtest_unsent_packets_total", _OF_TEST, "Packets due and not offered, because of the tester."),
    _family("loadtest_latency_average_seconds", _OF_TEST, "Mean latency of the last interval."),
    _family("loadtest_latency_max_seconds", _OF_TEST, "Maximum latency of the last interval."),
    _family("loadtest_latency_seconds", _OF_TEST, "Latency of the latency streams so far.", "histogram"),
    _family("dut_cpu_seconds_total", "target cpu mode", "CPU time by mode."),
    _family("dut_softirqs_total", "target cpu kind", "Softirqs by CPU and kind."),
    _family("dut_interrupts_total", "target cpu name", "Interrupts by CPU and source."),
    _family("dut_softnet_total", "target cpu event", "Counters of softnet_stat."),
    _family("dut_cpu_frequency_hertz", "target cpu", "Clock frequency of a CPU."),
    _family("dut_nic_total", "target interface counter", "Counters of an interface."),
    _family("dut_temperature_celsius", "target sensor", "Temperature of a sensor."),
    _family("power_watts", "target source zone", "Power in watts, by meter and zone."),
    _family("module_temperature_celsius", _OF_INTERFACE, "Temperature of a pluggable module."),
)

FORMER = {
    "wirespeed_router_worker_preempted_clocks_total": "wirespeed_router_worker_absent_clocks_total",
    "wirespeed_generator_intended_packets_total": "wirespeed_generator_asked_packets_total",
    "wirespeed_loadtest_intended_packets_total": "wirespeed_loadtest_asked_packets_total",
}
"""Former names, under which the same values are served, too."""

FAMILIES = {family.name: family for family in _ALL}
FAMILIES |= {old: replace(FAMILIES[new], name=old, help=f"Former name of {new}.") for new, old in FORMER.items()}

PHASES = ("warm-up", "ramp", "hold", "step", "trial", "drain")
"""Values of `phase`; result files have `warmup` for the first."""
