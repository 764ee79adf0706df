"""The router's cost: forwarded and dropped packets, cycles per packet of each node, and the use of workers' time."""

from __future__ import annotations

from telemetry.grafana.board import Board, Choice, Row, Variable
from telemetry.grafana.panels import Placed, Query, heat_map, lines
from telemetry.grafana.promql import CLASSES, INSTANCE, INTERFACE, NODE, WORKER, by_class, rate, total
from telemetry.grafana.tests_on_axis import TESTS

ROUTER = "wirespeed_router"
VECTORS = rate(f"{ROUTER}_node_vectors_total", NODE)
CALLS = rate(f"{ROUTER}_node_calls_total", NODE)
CLOCKS = rate(f"{ROUTER}_node_clocks_total", NODE)
OF_WORKER = "target, thread"
TICKS = total(OF_WORKER, rate(f"{ROUTER}_worker_clocks_total", WORKER))
IN_NODES = total(OF_WORKER, rate(f"{ROUTER}_node_clocks_total", WORKER))
ALL_TIME = f"({TICKS} or {IN_NODES})"
"""A VPP does not report the cycles of its workers' loops; the total of its nodes takes their place."""
RESTED = rate(f"{ROUTER}_worker_rest_clocks_total", WORKER)
IDLE = rate(f"{ROUTER}_worker_idle_clocks_total", WORKER)


def interface_rate(counter: str) -> str:
    return total("target, interface", rate(f"{ROUTER}_interface_{counter}_total", INTERFACE))


def wire_bits(way: str) -> str:
    """Bits per second at layer 1: a frame has 24 bytes more there than drivers count (FCS, preamble, gap)."""
    return f"8 * ({interface_rate(f'{way}_bytes')} + 24 * {interface_rate(f'{way}_packets')})"


FORWARDING = Row(
    "Forwarded and dropped packets",
    (
        lines(
            "Packets",
            "Received and sent packets per second, by interface.",
            "pps",
            Query(interface_rate("rx_packets"), "{{target}} {{interface}} in"),
            Query(interface_rate("tx_packets"), "{{target}} {{interface}} out"),
        ),
        lines(
            "Bits on the wire",
            "Layer 1, to compare with the line rate: 24 bytes more per frame than drivers count (FCS, preamble, gap).",
            "bps",
            Query(wire_bits("rx"), "{{target}} {{interface}} in"),
            Query(wire_bits("tx"), "{{target}} {{interface}} out"),
        ),
        lines(
            "Drops by reason",
            "Nodes that dropped packets, and their reasons. Empty without drops.",
            "pps",
            Query(
                f"{total('target, node, reason', rate(f'{ROUTER}_errors_total', INSTANCE))} > 0",
                "{{target}} {{node}}: {{reason}}",
            ),
        ),
        lines(
            "Packets not taken, by interface",
            "Dropped: by the interface that received them. Missed: the receive queue was full. No buffer: the pool was "
            "empty. Not sent: the transmit ring was full.",
            "pps",
            Query(interface_rate("drops"), "{{target}} {{interface}} dropped"),
            Query(interface_rate("rx_miss"), "{{target}} {{interface}} missed"),
            Query(interface_rate("rx_no_buf"), "{{target}} {{interface}} no buffer"),
            Query(interface_rate("tx_error"), "{{target}} {{interface}} not sent"),
        ),
    ),
)
COST = Row(
    "Cost of a packet",
    (
        lines(
            "Vectors by node",
            "Packets per second of each node, on a logarithmic scale. Where the ramp of a test becomes flat, the "
            "router is saturated.",
            "pps",
            Query(f"{total('target, node', VECTORS)} > 0", "{{target}} {{node}}"),
            log=True,
        ),
        lines(
            "Cycles per packet by node",
            "TSC cycles per packet of each node, as in show runtime. They fall as load rises, since vectors grow. "
            "The cycles of the polling node include its empty polls.",
            "short",
            Query(
                f"{total('target, node', CLOCKS)} / ({total('target, node', VECTORS)} > 0)",
                "{{target}} {{node}}",
            ),
            log=True,
        ),
        lines(
            "Vectors per call",
            "Packets that a node gets per call: 1 on an idle router, 256 on a saturated one.",
            "short",
            Query(
                f"{total('target, node', VECTORS)} / ({total('target, node', CALLS)} > 0) > 0",
                "{{target}} {{node}}",
            ),
            most=256,
        ),
        heat_map(
            "Packets per iteration",
            "Packets received by an iteration of a worker's loop, of the iterations that received any.",
            "short",
            Query(total("le", rate(f"{ROUTER}_vector_size_bucket", INSTANCE)), "{{le}}"),
        ),
    ),
)


def shares() -> Placed:
    """The parts of a worker's time. The part outside nodes is the remainder, so a sum above 100 % reveals an error."""
    classes = total("target, thread, class", by_class(rate(f"{ROUTER}_node_clocks_total", WORKER)))
    divided = f"{classes} / on (target, thread) group_left () {ALL_TIME}"
    resting = f"{total(OF_WORKER, RESTED)} / {ALL_TIME}"
    outside = f"({TICKS} - {IN_NODES} - {total(OF_WORKER, RESTED)}) / {TICKS}"
    return lines(
        "CPU share of a worker by class of node",
        "Use of a worker's time; the sum is 100 %. Class input: forwarding, from ethernet-input to ip4-rewrite. Class "
        "output: transmission. Class dpdk: the node that polls for packets. Class epoll or idle: other polling nodes, "
        "and sleep. Class rest: drops and features. Outside nodes: the loop itself. For a VPP the loop is unknown, and "
        "shares are of the total of its nodes.",
        "percentunit",
        Query(divided, "{{target}} {{thread}} {{class}}"),
        Query(resting, "{{target}} {{thread}} epoll or idle (sleep)"),
        Query(outside, "{{target}} {{thread}} outside nodes"),
        most=1,
        stacked=True,
    )


WORKERS = Row(
    "Use of workers' time",
    (
        shares(),
        lines(
            "Busy share by worker",
            "Share of the time in iterations that received packets. A polling worker always uses its whole CPU; "
            "this share is its real load.",
            "percentunit",
            Query(f"1 - ({total(OF_WORKER, IDLE)} + {total(OF_WORKER, RESTED)}) / {TICKS}", "{{target}} {{thread}}"),
            most=1,
        ),
        lines(
            "Loops per second",
            "Iterations of a worker's loop: millions without packets, fewer under load.",
            "short",
            Query(total(OF_WORKER, rate(f"{ROUTER}_worker_loops_total", WORKER)), "{{target}} {{thread}}"),
        ),
        lines(
            "Preemption",
            "Share of the time in which another process or the hypervisor had the worker's CPU. Cycles per packet of "
            "that time are invalid.",
            "percentunit",
            Query(
                f"{total(OF_WORKER, rate(f'{ROUTER}_worker_preempted_clocks_total', WORKER))} / {TICKS}",
                "{{target}} {{thread}}",
            ),
        ),
    ),
)
TABLES = Row(
    "Tables and memory",
    (
        lines(
            "Buffers",
            "Packet buffers in use, in caches of workers, and free. Packets are lost once free ones are near 0.",
            "short",
            Query(f"{ROUTER}_buffers{{{INSTANCE}}}", "{{target}} {{pool}} {{state}}"),
            stacked=True,
        ),
        lines(
            "Routes",
            "Routes in the forwarding tables.",
            "short",
            Query(f"{ROUTER}_fib_routes{{{INSTANCE}}}", "{{target}} {{family}}"),
        ),
        lines(
            "Neighbours",
            "Known neighbours, by state.",
            "short",
            Query(f"{ROUTER}_neighbors{{{INSTANCE}}}", "{{target}} {{family}} {{state}}"),
        ),
        lines(
            "Memory",
            "Memory of the router's heaps.",
            "bytes",
            Query(f"{ROUTER}_heap_bytes{{{INSTANCE}}}", "{{target}} {{heap}} {{state}}"),
        ),
    ),
)

OF_NODES = (
    Variable("instance", "Router", f"{ROUTER}_node_calls_total", "target"),
    Variable("worker", "Worker", f'{ROUTER}_node_calls_total{{target=~"$instance"}}', "thread"),
    Choice("class", "Class of node", (("all", ".*"), *CLASSES)),
    Variable("node", "Node", f'{ROUTER}_node_calls_total{{target=~"$instance", node=~"${{class:raw}}"}}', "node"),
)
OF_INTERFACES = Variable(
    "interface", "Interface", f'{ROUTER}_interface_rx_packets_total{{target=~"$instance"}}', "interface"
)

BOARD = Board(
    "router",
    "wirespeed: router",
    "Forwarded and dropped packets, cycles per packet of each node, use of workers' time.",
    (*OF_NODES, OF_INTERFACES),
    (FORWARDING, COST, WORKERS, TABLES),
    TESTS,
)
