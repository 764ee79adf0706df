"""`python -m trials`: the trials by name, in their long or short form."""

from __future__ import annotations

import argparse
import random
import signal
import sys
from typing import Any

from rich.console import Console

from trials import isolation
from trials.registry import TRIALS
from trials.runner import Form, run, run_inside


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tools/trials.sh", description="The programs broken on purpose: docs/develop/trials.md"
    )
    parser.add_argument("--short", action="store_true", help="few rounds of each: about ten minutes")
    parser.add_argument("--only", metavar="NAME", action="append", help="this trial; may be given more than once")
    parser.add_argument("--seed", type=int, help="draw what an earlier run drew")
    parser.add_argument("--list", action="store_true", help="show the names")
    sized: dict[str, Any] = {"metavar": "N", "type": int, "nargs": "?", "default": 0}
    parser.add_argument("--packets", const=10**9, **sized, help="that of N mutated packets alone (a thousand million)")
    parser.add_argument("--messages", const=10**6, **sized, help="those of N mutated messages alone (a million)")
    parser.add_argument("--sanitizer", action="store_true", help="run the router on a build with sanitizers")
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    unknown = sorted(set(given.only or ()) - TRIALS.keys())
    if unknown:
        parser.error(f"no trial {unknown[0]!r}; there are {', '.join(TRIALS)}")
    if given.list:
        for one in TRIALS.values():
            print(f"{one.name}: {one.title}")
        return 0
    seed = random.SystemRandom().randrange(1 << 32) if given.seed is None else given.seed
    form = Form(seed, given.short, given.packets, given.messages, given.sanitizer)
    alone = ["packets"] * bool(given.packets) + ["rpc-fuzz", "control-fuzz"] * bool(given.messages)
    names = given.only or alone or list(TRIALS)
    if given.inside is not None:
        run_inside(TRIALS[names[0]], form, given.inside)
        return 0
    console = Console(soft_wrap=False)
    reason = isolation.refusal()
    if reason is not None:
        console.print(f"trials are left out: {reason}", highlight=False, soft_wrap=True)
        return 3
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a running trial ends with the runner
    return run([TRIALS[name] for name in names], form, console)


if __name__ == "__main__":
    sys.exit(main())
