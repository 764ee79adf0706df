#!/usr/bin/env python3
"""Load a profile, raise its rate step by step while it runs, and print the rate at which loss begins.

examples/climb.py --steps 10kpps,100kpps,1mpps -t size=64,flows=1000
"""

import argparse
import sys
import time
from pathlib import Path

import lbr_trex_client  # noqa: F401 - puts T-Rex's client on the path
from trex.stl.api import STLClient, STLProfile

PROFILE = Path(__file__).parent / "profiles" / "many_flows.py"


def tunables(text):
    """`size=64,flows=10` as the profile's own options."""
    pairs = (pair.split("=", 1) for pair in text.split(",") if pair)
    return [word for key, value in pairs for word in (f"--{key}", value)]


def lost(before, after):
    """Share of port 0's packets that did not reach port 1 between two readings."""
    sent = after[0]["opackets"] - before[0]["opackets"]
    received = after[1]["ipackets"] - before[1]["ipackets"]
    return (sent - received) / sent if sent else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4501, help="of the RPC; statistics are published on the one below")
    parser.add_argument("--profile", default=str(PROFILE))
    parser.add_argument("--steps", default="10kpps,100kpps,1mpps", help="rates, lowest first")
    parser.add_argument("--hold", type=float, default=3, help="seconds for each step")
    parser.add_argument("-t", "--tunables", default="size=64,flows=1000")
    args = parser.parse_args()

    client = STLClient(server=args.server, sync_port=args.port, async_port=args.port - 1)
    client.connect()
    try:
        client.reset(ports=[0, 1])
        profile = STLProfile.load_py(args.profile, direction=0, port_id=0, tunables=tunables(args.tunables))
        client.add_streams(profile, ports=[0])
        steps = args.steps.split(",")
        client.start(ports=[0], mult=steps[0])
        for step in steps:
            client.update(ports=[0], mult=step)
            before = client.get_stats()
            time.sleep(args.hold)
            after = client.get_stats()
            print(f"{step:>10}: {100 * lost(before, after):.3f} % lost")
        client.stop(ports=[0])
    finally:
        client.disconnect()
    return 0


if __name__ == "__main__":
    sys.exit(main())
