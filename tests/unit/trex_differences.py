"""Tables of docs/from-trex.md that are made from lists: the keys of trex_cfg.yaml, and what remains different.

`python tests/unit/trex_differences.py` writes them, and the tables of docs/generator.md (trex_console.py) and
docs/develop/protocol.md (trex_requests.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

import trex_console
import trex_requests

from wirespeed.generator.trex_cfg import TAKEN

DOCUMENT = Path(__file__).parents[2] / "docs" / "from-trex.md"
KEYS = ("Keys with a meaning here:\n", "\n## t-rex-64")
DIFFERENCES = ("The rest is as on T-Rex v3.08, as far as compared:\n", "\n## trex_cfg.yaml")

LEFT_OUT = {
    "version": "there is one format",
    "interface_mask": "T-Rex does not use it either",
    "scan_only_1g": "T-Rex does not use it either",
    "interfaces_vdevs": "devices are named in `interfaces`; DPDK's other options are the generator's own",
    "ext_dpdk_opt": "devices are named in `interfaces`; DPDK's other options are the generator's own",
    "port_info.mask": "all packets go to the gateway",
    "port_info.mpls": "stateful modes only; a profile has `MPLS` layers",
    "port_info.eompls": "stateful modes only; a profile has `MPLS` layers",
    "port_bandwidth_gb": "memory depends on rings and MTU; for the line see `port_speed`",
    "port_speed": "the link's own is used; `speed=10G` sets the line of a port type without a speed",
    "platform.latency_thread_id": "each worker receives the packets of its ports, with timestamps at the driver",
    "platform.rx_thread_id": "each worker receives the packets of its ports, with timestamps at the driver",
    "platform.dual_if.socket": "give CPUs of the NIC's node; DPDK chooses the memory",
    "memory": "the pool is sized for the ports' rings; `--mtu` and `rxd=` make it larger",
    "new_memory": "the pool is sized for the ports' rings; `--mtu` and `rxd=` make it larger",
    "prefix": "generators are independent; several need only different `--rpc`",
    "zmq_pub_port": "the port below that of `--rpc` always publishes",
    "enable_zmq_pub": "the port below that of `--rpc` always publishes",
    "telnet_port": "the generator has no such service",
    "ezqm_ch_port": "stateful modes only",
    "ezmq_ch_port": "stateful modes only",
    "tw": "stateful modes only",
    "services_core": "the generator has no such service",
    "stack": "the generator emulates the hosts of a port (console: `ns`), without a Linux stack",
}
"""Keys without a meaning here, and why."""


@dataclass(frozen=True)
class Behaviour:
    """A difference that is in no table of requests, arguments or keys; `shown_by` is a test, as
    `folder/file.py::name`.
    """

    what: str
    trex: str
    here: str
    shown_by: str


BEHAVIOURS = (
    Behaviour(
        "a port whose owner has been silent for 60 s",
        "keeps sending",
        "stops; `--owner-timeout 0` behaves as T-Rex",
        "unit/test_rpc_sessions.py::test_traffic_of_a_client_that_vanished_stops",
    ),
    Behaviour(
        "counters of several ports",
        "read up to 4 ms apart, which looks like a loss",
        "read at the same instant",
        "unit/test_rpc_methods.py::test_a_batch_is_answered_from_one_snapshot",
    ),
    Behaviour(
        "packets that a port cannot take",
        "sent later, unless `--queue-drop` is given",
        "counted as `refused`, not sent later ([why](develop/decisions/0002-refused-and-late.md))",
        "dataplane/test_generator_core.py::test_full_ring_refuses_until_the_peer_wakes_up",
    ),
    Behaviour(
        "flow statistics inside VXLAN",
        "by NICs that support it",
        "refused: the worker reads the outer header only",
        "unit/test_rpc_as_trex.py::test_statistics_inside_vxlan_are_refused",
    ),
    Behaviour(
        "received packets in the receive queue",
        "in service mode only",
        "in any mode",
        "unit/test_rpc_packets.py::test_a_receive_queue_keeps_the_newest",
    ),
    Behaviour(
        "latency",
        "whole microseconds, below 10 as 0; half of the average is from the last half second",
        "nanoseconds, also in `hdrh_ns`; the average is of all packets",
        "unit/test_packet_groups.py::test_answer_has_t_rexs_shape",
    ),
    Behaviour(
        "error message for a field program",
        "names the instruction",
        "names the stream and the instruction",
        "unit/test_rpc_methods.py::test_a_program_that_means_nothing_is_told_at_the_start",
    ),
    Behaviour(
        "captures, queues, events and streams of a client",
        "grow until memory ends",
        "have [limits in bytes](develop/protocol.md#memory-limits-per-client)",
        "unit/test_rpc_memory.py::test_a_session_and_all_of_them_have_a_bound",
    ),
    Behaviour(
        "JSON with comments or bytes behind it",
        "accepted",
        "refused, with the position of the first error",
        "unit/test_rpc_messages.py::test_what_is_no_json",
    ),
    Behaviour(
        "release of a port with tagged packet groups",
        "refused; the next user finds the port blocked",
        "ends the groups",
        "unit/test_rpc_tagged_groups.py::test_groups_end_with_their_owner",
    ),
    Behaviour(
        "invalid messages and parameters",
        "some crash the server",
        "are refused",
        "unit/test_rpc_messages.py::test_no_bytes_bring_the_server_down",
    ),
)


def keys() -> str:
    """The tables of keys in docs/from-trex.md: rows of TAKEN, and those of LEFT_OUT by their reasons."""
    taken = _rows((f"`{key.replace('.', '` `')}`", here) for key, here in TAKEN.items())
    left_out = _rows((names, reason) for reason, names in _by_reason(LEFT_OUT).items())
    return f"\n| key | here |\n|---|---|\n{taken}\nKeys without one:\n\n| key | because |\n|---|---|\n{left_out}"


def differences() -> str:
    """The table of differences in docs/from-trex.md: a row for each reason."""
    requests = "| requests | recorded answers | [some differ](develop/protocol.md#answered-otherwise-than-by-t-rex) |"
    console = "| console | all commands | [some are missing](generator.md#t-rexs-commands) |\n"
    behaviours = _rows((one.what, one.trex, one.here) for one in BEHAVIOURS)
    left_out = "| `trex_cfg.yaml` | all keys | [some have no meaning](#trex_cfgyaml) |"
    return f"\n| | T-Rex | here |\n|---|---|---|\n{requests}\n{console}{left_out}\n{behaviours}"


def _by_reason(reasons: Mapping[str, str]) -> dict[str, str]:
    rows: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        rows.setdefault(reason, []).append(f"`{name}`")
    return {reason: " ".join(names) for reason, names in rows.items()}


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def between(marks: tuple[str, str]) -> str:
    return DOCUMENT.read_text().partition(marks[0])[2].partition(marks[1])[0]


def write() -> None:
    for (begins, ends), made in ((KEYS, keys()), (DIFFERENCES, differences())):
        before, _, rest = DOCUMENT.read_text().partition(begins)
        DOCUMENT.write_text(before + begins + made + ends + rest.partition(ends)[2])
    trex_console.write()
    trex_requests.write()


if __name__ == "__main__":
    write()
