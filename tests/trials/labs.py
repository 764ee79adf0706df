"""Two, then four labs at once on one machine: each completes, and none leaves anything behind."""

from __future__ import annotations

from contextlib import ExitStack

from trials.isolation import present
from trials.started import Started
from trials.trial import Ground, trial, until

PATIENCE_S = 600.0


def _together(ground: Ground, count: int) -> None:
    """`count` demos, complete; in the short form up to their third test."""
    before = present()
    with ExitStack() as undo:
        demos = []
        for number in range(count):
            out = ground.directory / f"{count}-{number}"
            demos.append(undo.enter_context(Started(["demo", "--quick", "--out", str(out)])))
        for number, demo in enumerate(demos):
            what = f"demo {number + 1} of {count}"
            if ground.short:
                demo.must_say("\n3/")
                if (code := demo.end()) not in (0, 130):
                    ground.fault(f"{what} ended with {code}: {demo.last_words}")
            elif not until(lambda demo=demo: demo.process.poll() is not None, PATIENCE_S):
                ground.fault(f"{what} did not end in {PATIENCE_S:.0f} s: {demo.last_words}")
            elif demo.process.returncode:
                ground.fault(f"{what} ended with {demo.process.returncode}: {demo.last_words}")
    if not until(lambda: not present() - before, 15.0):
        ground.fault(f"after {count} labs at once, left: {', '.join(sorted(present() - before))}")


@trial("labs", "two, then four labs at once")
def labs(ground: Ground) -> None:
    counts = (2,) if ground.short else (2, 4)
    for count in counts:
        _together(ground, count)
    ground.figures["labs at once"] = ", then ".join(map(str, counts))
