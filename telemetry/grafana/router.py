"""The router's own cost: what it forwards and drops, what each node takes for it, and where its workers' time goes."""

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
"""A VPP does not tell the ticks that went by; what its nodes had of them is all that is known there."""
RESTED = rate(f"{ROUTER}_worker_rest_clocks_total", WORKER)
IDLE = rate(f"{ROUTER}_worker_idle_clocks_total", WORKER)


def interface_rate(counter: str) -> str:
    return total("target, interface", rate(f"{ROUTER}_interface_{counter}_total", INTERFACE))


def wire_bits(way: str) -> str:
    """Bits a second on the wire: 20 bytes more a frame than its own, as line rate is counted."""
    return f"8 * ({interface_rate(f'{way}_bytes')} + 24 * {interface_rate(f'{way}_packets')})"


FORWARDING = Row(
    "What it forwards",
    (
        lines(
            "Packets",
            "How many packets a second come in and leave, by interface.",
            "pps",
            Query(interface_rate("rx_packets"), "{{target}} {{interface}} in"),
            Query(interface_rate("tx_packets"), "{{target}} {{interface}} out"),
        ),
        lines(
            "Bits on the wire",
            "Layer 1, with preamble, FCS and gap: to be held against the line rate.",
            "bps",
            Query(wire_bits("rx"), "{{target}} {{interface}} in"),
            Query(wire_bits("tx"), "{{target}} {{interface}} out"),
        ),
        lines(
            "Drops by reason",
            "Which node threw packets away, and why. Empty on a router that has thrown none away.",
            "pps",
            Query(
                f"{total('target, node, reason', rate(f'{ROUTER}_errors_total', INSTANCE))} > 0",
                "{{target}} {{node}}: {{reason}}",
            ),
        ),
        lines(
            "Packets not taken, by interface",
            "Drops by the interface that received them; missed: the receive queue was full; no buffer: the pool was "
            "empty.",
            "pps",
            Query(interface_rate("drops"), "{{target}} {{interface}} dropped"),
            Query(interface_rate("rx_miss"), "{{target}} {{interface}} missed"),
            Query(interface_rate("rx_no_buf"), "{{target}} {{interface}} no buffer"),
            Query(interface_rate("tx_error"), "{{target}} {{interface}} not sent"),
        ),
    ),
)
COST = Row(
    "What a packet costs",
    (
        lines(
            "Vectors by node",
            "Packets a second through each node, on a logarithmic scale: flat from where the router is full.",
            "pps",
            Query(f"{total('target, node', VECTORS)} > 0", "{{target}} {{node}}"),
            log=True,
        ),
        lines(
            "Clocks a packet by node",
            "TSC ticks that a node spends on a packet, as show runtime has them. They fall as vectors grow. "
            "Polls that find nothing are in those of the input node.",
            "short",
            Query(
                f"{total('target, node', CLOCKS)} / ({total('target, node', VECTORS)} > 0)",
                "{{target}} {{node}}",
            ),
            log=True,
        ),
        lines(
            "Vectors a call",
            "How many packets a node gets at once: 1 on an idle router, 256 on one that cannot keep up.",
            "short",
            Query(
                f"{total('target, node', VECTORS)} / ({total('target, node', CALLS)} > 0) > 0",
                "{{target}} {{node}}",
            ),
            most=256,
        ),
        heat_map(
            "Packets a turn",
            "How many packets a turn of a worker's loop brought in, of those that brought any.",
            "short",
            Query(total("le", rate(f"{ROUTER}_vector_size_bucket", INSTANCE)), "{{le}}"),
        ),
    ),
)


def shares() -> Placed:
    """The parts of a worker's time. What is outside nodes is what is left, so a sum above 100 % shows a wrong part."""
    classes = total("target, thread, class", by_class(rate(f"{ROUTER}_node_clocks_total", WORKER)))
    divided = f"{classes} / on (target, thread) group_left () {ALL_TIME}"
    resting = f"{total(OF_WORKER, RESTED)} / {ALL_TIME}"
    outside = f"({TICKS} - {IN_NODES} - {total(OF_WORKER, RESTED)}) / {TICKS}"
    return lines(
        "CPU share of a worker by class of node",
        "100 % is all of a worker's time. Input: what forwards; output: what transmits; dpdk: the nodes that poll for "
        "packets; epoll or idle: sleep and file descriptors; rest: drops and features; outside nodes: the loop itself.",
        "percentunit",
        Query(divided, "{{target}} {{thread}} {{class}}"),
        Query(resting, "{{target}} {{thread}} epoll or idle (sleep)"),
        Query(outside, "{{target}} {{thread}} outside nodes"),
        most=1,
        stacked=True,
    )


WORKERS = Row(
    "Where its workers' time goes",
    (
        shares(),
        lines(
            "Busy share by worker",
            "Ticks in turns that brought packets, of all. A polling worker always burns its CPU; this tells work "
            "from waiting.",
            "percentunit",
            Query(f"1 - ({total(OF_WORKER, IDLE)} + {total(OF_WORKER, RESTED)}) / {TICKS}", "{{target}} {{thread}}"),
            most=1,
        ),
        lines(
            "Loops a second",
            "Turns of a worker's loop: millions when idle, fewer as each carries more.",
            "short",
            Query(total(OF_WORKER, rate(f"{ROUTER}_worker_loops_total", WORKER)), "{{target}} {{thread}}"),
        ),
        lines(
            "CPU taken away",
            "Share of its time in which something else had a worker's CPU. While it is noticeable, clocks a packet "
            "are spoilt.",
            "percentunit",
            Query(
                f"{total(OF_WORKER, rate(f'{ROUTER}_worker_absent_clocks_total', WORKER))} / {TICKS}",
                "{{target}} {{thread}}",
            ),
        ),
    ),
)
TABLES = Row(
    "What it holds",
    (
        lines(
            "Buffers",
            "Of the packet pool: in use, in caches of workers, and free. Free ones near 0 mean packets without a "
            "buffer.",
            "short",
            Query(f"{ROUTER}_buffers{{{INSTANCE}}}", "{{target}} {{pool}} {{state}}"),
            stacked=True,
        ),
        lines(
            "Routes",
            "Entries of the forwarding table.",
            "short",
            Query(f"{ROUTER}_fib_routes{{{INSTANCE}}}", "{{target}} {{family}}"),
        ),
        lines(
            "Neighbours",
            "Known addresses of the link layer.",
            "short",
            Query(f"{ROUTER}_neighbors{{{INSTANCE}}}", "{{target}} {{family}} {{state}}"),
        ),
        lines(
            "Memory",
            "Heaps of the router.",
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
    "What a router forwards and drops, what each node of its graph spends on a packet, where its workers' time goes.",
    (*OF_NODES, OF_INTERFACES),
    (FORWARDING, COST, WORKERS, TABLES),
    TESTS,
)
