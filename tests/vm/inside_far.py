"""Runs in the guest that is the router in a pair of guests; its commands come through the host.

Usage: inside_far.py KIND ROUTER0 ROUTER1. Each line `{"ask": LINE}` is a command for the router, whose answer is
returned as `{"answer": TEXT}`, or `{"error": TEXT}` if it was refused.
"""

from __future__ import annotations

import os
import sys

from inside_bench import FOLDER, Bench, Host, bind

from wirespeed.errors import WirespeedError


def main() -> None:
    kind, macs = sys.argv[1], sys.argv[2:]
    host = Host()
    FOLDER.mkdir(parents=True)
    bind(macs)
    bench = Bench(host, kind, ["", "", *macs])
    bench.start_router(data_size=0)
    bench.router.wait()
    host.tell(started=True)
    while True:
        line = host.line()["ask"]
        try:
            host.tell(answer=bench.ask(line))
        except WirespeedError as error:
            host.tell(error=str(error))


if __name__ == "__main__":
    os.environ["HOME"] = "/root"
    main()
