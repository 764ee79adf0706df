"""Counts of flow sets (native/include/wirespeed/flow_sets.h)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PhaseTotals:
    """Counts of one port in a phase. They are of frames, except those with `flows` in their name.

    `received` frames each have another number (exchange). `duplicates` are further frames of a flow, in an exchange of
    a number; `unplaced` frames came too late to distinguish them from duplicates. `flows` arrived at the right place,
    `wrong_flows` elsewhere only; `wrong` are frames at the wrong host or port, or from a wrong one. `remapped_flows`
    had more than one tuple; their tuples changed `remapped` times. `unlearnt` frames are of flows that never arrived
    while flows were learnt. `late` frames are of an earlier phase, `bad` ones of no flow of the set, `unknown` ones are
    neither test frames nor address resolution nor link control. `icmp_errors` are of both families. Handshakes of TCP
    have flows `to_answer`, frames that `answered` them and flows that the last ACK `confirmed`."""

    sent: int = 0
    sent_bytes: int = 0
    received: int = 0
    duplicates: int = 0
    reordered: int = 0
    unplaced: int = 0
    flows: int = 0
    wrong_flows: int = 0
    wrong: int = 0
    remapped_flows: int = 0
    remapped: int = 0
    unlearnt: int = 0
    to_answer: int = 0
    answered: int = 0
    confirmed: int = 0
    late: int = 0
    bad: int = 0
    unknown: int = 0
    icmp_errors: int = 0
    latency_packets: int = 0
    latency_min_ns: int = 0
    latency_max_ns: int = 0
    latency_sum_ns: int = 0
    more_max_ns: int = 0
    less_max_ns: int = 0


@dataclass(frozen=True)
class FlowsLearnt:
    """`flows` to send over, for TCP with a complete handshake; `distinct` tuples of the flows that arrived; flows with
    the `same_source` as sent; flows with a `changed_destination`."""

    flows: int = 0
    distinct: int = 0
    same_source: int = 0
    changed_destination: int = 0
