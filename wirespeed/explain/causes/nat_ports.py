"""NAT has no port left: each flow to one destination endpoint needs a port of the public address of its own.

Flows to other endpoints use the same ports again, so the maximum is ports times addresses times endpoints. Linux and
VPP have 64 512 ports (VPP divides them among its workers), pf has 15 535 unless its rule has more. After 240 ports
Linux gives up: the insertion of the flow fails (`insert_failed`), and `found` counts the ports that were taken. So a
few flows fail below the maximum. VPP counts `out of ports`, pf `map-failed` or `translate`.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._states import LOST, SOURCE, counted, without_port
from wirespeed.explain.evidence import AGAINST, FAIR, CauseFinding, Evidence

NAME = "nat-ports"
_NEAR, _FAR = 0.95, 0.8


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or facts.table is None or facts.lost <= LOST * facts.flows:
        return None
    table = facts.table
    pieces = [counted(without_port(table), facts.lost, "new flows for which NAT found no port")]
    if found := table.counters.get("found", 0):
        pieces.append(Evidence(f"{found:,} ports were tried and taken", 0.0, SOURCE))
    ceiling = (table.nat_ports or 0) * facts.public_addresses * (facts.endpoints or 0)
    if ceiling:
        share = facts.flows / ceiling
        text = f"{facts.flows:,} flows, and NAT has {table.nat_ports:,} ports for each destination endpoint"
        text += f": {ceiling:,} in all"
        pieces.append(Evidence(text, FAIR if share >= _NEAR else AGAINST if share < _FAR else 0.0, SOURCE))
    return CauseFinding(
        NAME,
        "NAT has no port left for new flows to the same destination endpoint",
        tuple(pieces),
        next="more destination addresses or ports, more public addresses, or a wider range of ports",
    )
