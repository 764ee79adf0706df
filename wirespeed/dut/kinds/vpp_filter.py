"""NAT of VPP by its plugin NAT44-ED, which releases since 21.01 enable by `nat44 plugin enable`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.dut.kinds.vpp_language import Ask, quiet
from wirespeed.dut.plan import Action, DutStep, Facts, text_of
from wirespeed.dut.setup import DutSetup
from wirespeed.errors import EnvironmentFault

_UDP_S = 300
_LIMIT = "show nat44 summary"


def nat_questions(ask: Ask, setup: DutSetup) -> tuple[str, ...]:
    asked = setup.options.filter
    if asked.rules != "nat":
        return ()
    limit = () if asked.states is None else (ask(_LIMIT),)
    return (ask("show nat44 interfaces"), ask("show nat timeouts"), *limit)


def nat_steps(ask: Ask, facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    """The plugin, both sides of each pair of interfaces, the public address, the size of the table and the timeout."""
    asked = setup.options.filter
    if asked.rules != "nat":
        return
    sides = text_of(facts, ask("show nat44 interfaces"))
    pairs = list(zip(setup.names[::2], setup.names[1::2], strict=True))
    missing = [pair for pair in pairs if not (_has(sides, pair[0], "in") and _has(sides, pair[1], "out"))]
    if missing:
        sessions = "" if asked.states is None else f" sessions {asked.states}"
        new, old = (quiet(ask, f"nat44 {word}enable{sessions}").command for word in ("plugin ", ""))
        off, old_off = (quiet(ask, f"nat44 {word}disable").command for word in ("plugin ", ""))
        do, undo = Action(f"( {new} ) || ( {old} )"), Action(f"( {off} ) || ( {old_off} )")
        yield DutStep("NAT44-ED", "off", f"on{sessions and ','}{sessions}", do, undo)
    elif asked.states is not None:
        limit = re.search(r"(?m)^\s*max translations per thread: (\d+) fib 0\b", text_of(facts, ask(_LIMIT)))
        if limit is None:
            raise EnvironmentFault("NAT44-ED is on, and `show nat44 summary` prints no limit; leave --states out")
        if int(limit[1]) != asked.states:
            do, undo = (quiet(ask, f"set nat44 session limit {entries}") for entries in (asked.states, limit[1]))
            yield DutStep("sessions per worker; a change clears all", limit[1], str(asked.states), do, undo)
    for inside, outside in missing:
        for what in (f"set interface nat44 in {inside} out {outside}", f"nat44 add interface address {outside}"):
            yield DutStep(what, "", "there", quiet(ask, what), quiet(ask, f"{what} del"))
    found = re.search(r"(?m)^\s*udp timeout: (\d+)", text_of(facts, ask("show nat timeouts")))
    now = int(found[1]) if found else _UDP_S
    if asked.timeout_s is not None and now != asked.timeout_s:
        do, undo = (quiet(ask, f"set nat timeout udp {seconds}") for seconds in (asked.timeout_s, now))
        yield DutStep("UDP timeout of NAT", f"{now} s", f"{asked.timeout_s} s", do, undo)


def _has(sides: str, name: str, side: str) -> bool:
    return re.search(rf"(?m)^\s*{re.escape(name)} {side}\b", sides) is not None
