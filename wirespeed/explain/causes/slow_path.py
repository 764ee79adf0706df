"""Packets leave the fast path: their TTL expires, they carry options, or they are for the DUT itself or its host.

Each needs an ICMP answer or the host's stack. That costs many times as much as forwarding, and is rate-limited.
Evidence is the number of packets dropped for it. Answers and punted packets count if they are at least a twentieth of
the offered packets; fewer are neighbours and routing protocols at work.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import has, named, with_icmp_errors
from wirespeed.explain.causes._reasons import ICMP_ERRORS, SLOW_PATH
from wirespeed.explain.evidence import FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text

NAME = "slow-path"
_ANSWERED = ("ttl exceeded", "hop limit exceeded", "time exceeded", "parameter problem")
_PUNTED = ("packets to linux", "punt", "ip4 options present", "ip6 extension headers present")
_LEAST = 0.05


def look(case: Case) -> CauseFinding | None:
    pieces = with_icmp_errors(case, [*_dropped(case), *_told(case)], HINT)
    if not pieces:
        return None
    return CauseFinding(
        NAME,
        f"packets leave the fast path: {pieces[0].text}",
        tuple(pieces),
        next="TTL and options of the profile's packets, and whether their destination is an address of the DUT",
    )


def _dropped(case: Case) -> tuple[Evidence, ...]:
    """An ICMP error is about a packet that another node refused: where drops of others are as many, those tell why."""
    others = sum(count for reason, count in case.drops.items() if not has(reason, ICMP_ERRORS))
    limited = sum(count for reason, count in case.drops.items() if has(reason, ICMP_ERRORS))
    words = [word for word in SLOW_PATH if word not in ICMP_ERRORS or limited > others]
    return named(case, *words)


def _told(case: Case) -> list[Evidence]:
    offered = (case.load.offered_pps or 0.0) * (case.interval_s or 0.0)
    pieces = []
    for words, bits, what in ((_ANSWERED, FAIR, "answered"), (_PUNTED, STRONG, "off the fast path")):
        for event, count in case.events.items():
            share = min(1.0, count / offered) if offered else 0.0
            if share >= _LEAST and any(word in event.lower() for word in words):
                text = f"{count:,} × “{event}”, {share_text(share)} of what was offered"
                pieces.append(Evidence(f"{text}: {what}", bits, "events"))
    return pieces
