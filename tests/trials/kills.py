"""Each program is killed, and hung up on, at random moments from its start on; then started again.

After kill -9 the kernel ends its processes; everything else that it leaves must be gone once the next run has ended.
After a hang-up nothing may be left at once, and no measured data may be lost.
"""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from trials.isolation import present
from trials.programs import PROGRAMS, Program
from trials.started import Started
from trials.trial import Fault, Ground, trial, until
from wirespeed.errors import WirespeedError

HITS = (signal.SIGKILL, signal.SIGHUP)

_LIVING = ("process ", "socket ", "link ", "hugepages ")
"""Things that the kernel removes together with a process."""

_LAB_LINK = re.compile(r"link ws\d+[gd][01]")
"""Links of the Linux lab are not: the named namespace at their other end keeps them until the next start removes both.
"""


def _kill(program: Program, ground: Ground) -> None:
    rounds = ground.times(30, program.short_rounds)
    directory = Path("/run/work")  # files that programs leave there count
    directory.mkdir()
    broken = dict.fromkeys(HITS, 0)
    early = 0
    with program.around(ground):
        before = present()
        for turn, number in ((turn, hit) for turn in range(rounds) for hit in HITS):
            works, moment_s = program.moment(ground.random)
            works = works or not turn  # in a few rounds it is hit at work too
            try:
                early += _hit(program, directory, number, works, moment_s)
                _run_again(program, directory, before)
            except (Fault, WirespeedError) as fault:
                broken[number] += 1
                what = f"{number.name} {moment_s:.2f} s after its {'first work' if works else 'start'}"
                ground.fault(f"{program.name}, {what}: {fault}")
                shutil.rmtree(directory)
                directory.mkdir()
                before = present()  # each fault is reported once
    for hit in HITS:
        ground.figures[hit.name] = f"{rounds}" + (f" ({broken[hit]} broken)" if broken[hit] else "")
    ground.figures["before it worked"] = f"{early}"


def _hit(program: Program, directory: Path, number: signal.Signals, works: bool, moment_s: float) -> bool:
    """Start the program and hit it; returns whether that was before it worked."""
    began = present()
    with Started(program.words(directory), terminal=program.terminal) as started:
        if works:
            started.must_say(program.ready)
        time.sleep(moment_s)
        early = program.ready not in started.said
        code = started.end(number)
        if code is None:
            raise Fault(f"it went on after {number.name}: {started.last_words}")
        program.check(directory, started, number)
        left = _left_by_kill(began) if number == signal.SIGKILL else _left(began)
        if left:
            raise Fault(f"{_some(left)} left (code {code}): {started.last_words}")
    return early


def _run_again(program: Program, directory: Path, before: frozenset[str]) -> None:
    """Start the program again. Fault if it does not work, or if anything is left once it has ended."""
    with Started(program.words(directory), terminal=program.terminal) as started:
        started.must_say(program.ready)
        code = started.end()
        if code not in program.ended_codes:
            raise Fault(f"the next one ended with {code}: {started.last_words}")
        program.check(directory, started, signal.SIGTERM)
    left = _left(before)
    if left:
        raise Fault(f"after the next one has run, {_some(left)} left")


def _left(before: frozenset[str], counts: Callable[[str], bool] = lambda _: True) -> list[str]:
    """New things that `counts` accepts and that are still there, after up to 15 s for them to go."""

    def now() -> list[str]:
        return sorted(one for one in present() - before if counts(one))

    until(lambda: not now(), 15.0)
    return now()


def _left_by_kill(before: frozenset[str]) -> list[str]:
    return _left(before, lambda one: one.startswith(_LIVING) and not _LAB_LINK.fullmatch(one))


def _some(found: Iterable[str]) -> str:
    found = list(found)
    more = f" and {len(found) - 4} more" if len(found) > 4 else ""
    return f"{', '.join(found[:4])}{more}"


for _program in PROGRAMS:
    trial(f"kill-{_program.name}", f"{_program.name} killed and hung up on at random moments, then started again")(
        lambda ground, program=_program: _kill(program, ground)
    )
