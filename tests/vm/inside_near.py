"""Runs in the guest that is the generator in a pair of guests; the other one is the router (inside_far.py).

Usage: inside_near.py KIND CHECKS GENERATOR0 GENERATOR1 ROUTER0 ROUTER1. The checks are those of inside.py, except for
`start`, and report to the host in the same way.
"""

from __future__ import annotations

import os
import sys

from inside import CHECKS, tell_of
from inside_bench import FOLDER, Bench, Failed, Host, bind


class _Bench(Bench):
    """Commands for its router go through the host."""

    def ask(self, line: str) -> str:
        self.host.tell(router=line)
        answer = self.host.line()
        if "error" in answer:
            raise Failed(f"{line}: {answer['error']}")
        return str(answer["answer"])


def check_start(bench: Bench) -> str:
    bench.start_generator()
    bench.connect()
    bench.wait_for_links()
    return "links up in both"


def main() -> None:
    kind, names, macs = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    host = Host()
    FOLDER.mkdir(parents=True)
    host.tell(started=True)
    bind(macs[:2])
    tell_of(_Bench(host, kind, macs), names, CHECKS | {"start": check_start})


if __name__ == "__main__":
    os.environ["HOME"] = "/root"
    main()
