"""Counters of a router or a generator between two readings, as a frame for the page. Pure.

    {"t": 3.0, "what": "", "ways": {"port 0": [sent, received, dropped]}, "latency": {},
     "tester": {"late": 0, "unsent": 12}, "cost": {"cycles": 181.2, "vectors": 230.1, "classes": {"input": 31.0, …}}}

Rates are packets per second; what was dropped is a share of what came in there.
"""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.exporter.told import Labels, TargetValues
from wirespeed.measurement.followed import Frame
from wirespeed.results.dut import INPUT_NODES
from wirespeed.results.node_classes import class_of

Counts = dict[Labels, float]


def machine_frame(before: TargetValues, after: TargetValues, seconds: float, t_s: float) -> Frame:
    """Frame of one target, without its own name, which begins each label."""
    unsent = sum(_gained(before, after, "generator_unsent_packets_total").values())
    return {
        "t": round(t_s, 3),
        "what": "",
        "ways": dict(_ways(before, after, seconds)),
        "tester": {"late": 0, "unsent": round(unsent)},
        "latency": {},
    } | _cost(before, after)


def _ways(before: TargetValues, after: TargetValues, seconds: float) -> Iterator[tuple[str, list[float]]]:
    for kind, prefix in (("generator", "port "), ("router_interface", "")):
        sent = _gained(before, after, f"{kind}_tx_packets_total")
        received = _gained(before, after, f"{kind}_rx_packets_total")
        dropped = _gained(before, after, f"{kind}_drops_total")
        for labels in dict.fromkeys([*sent, *received]):
            came = received.get(labels, 0.0)
            share = min(1.0, dropped.get(labels, 0.0) / came) if came else 0.0
            rates = [float(f"{count / seconds:.6g}") for count in (sent.get(labels, 0.0), came)]
            yield prefix + " ".join(labels[1:]), [*rates, float(f"{share:.4g}")]


def _cost(before: TargetValues, after: TargetValues) -> Frame:
    """Clocks a packet that came in, by what the nodes do; nothing while no packet did."""
    clocks = _gained(before, after, "router_node_clocks_total")
    packets = sum(_gained(before, after, "router_interface_rx_packets_total").values())
    if not clocks or packets <= 0:
        return {}
    classes: dict[str, float] = {}
    for labels, spent in clocks.items():
        name = class_of(labels[-1])
        classes[name] = classes.get(name, 0.0) + spent
    vectors = {labels: count for labels, count in _gained(before, after, "router_node_vectors_total").items() if count}
    calls = _gained(before, after, "router_node_calls_total")
    called = sum(calls.get(labels, 0.0) for labels in vectors if labels[-1] not in INPUT_NODES)
    carried = sum(count for labels, count in vectors.items() if labels[-1] not in INPUT_NODES)
    return {
        "cost": {
            "cycles": round(sum(clocks.values()) / packets, 1),
            "vectors": round(carried / called, 1) if called else 0.0,
            "classes": {name: round(spent / packets, 1) for name, spent in classes.items()},
        }
    }


def _gained(before: TargetValues, after: TargetValues, family: str) -> Counts:
    """Growth of a counter. New counters start at 0; a counter that was reset has grown by 0."""
    known = dict(before.values.get(f"wirespeed_{family}", ()))
    return {
        labels: max(0.0, count - known.get(labels, 0.0))
        for labels, count in after.values.get(f"wirespeed_{family}", ())
    }
