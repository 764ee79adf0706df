#!/usr/bin/env python3
"""Send in both directions for some time and print what was received. Runs on T-Rex and on `wirespeed generator`.

examples/two_ways.py --rate 100kpps --duration 10
"""

import argparse
import sys
import time

import lbr_trex_client  # noqa: F401 - puts T-Rex's client on the path
from trex.stl.api import IP, UDP, Ether, STLClient, STLPktBuilder, STLStream, STLTXCont


def stream(source, destination):
    packet = Ether() / IP(src=source, dst=destination) / UDP(sport=1025, dport=12) / (b"x" * 18)
    return STLStream(packet=STLPktBuilder(pkt=packet), mode=STLTXCont(pps=1))


def settled(client, patience_s):
    """Statistics once all packets are back, or none arrived for patience_s, so that packets in flight are not lost."""
    received, since = None, 0.0
    while True:
        stats = client.get_stats()
        total = stats["total"]
        if total["ipackets"] != received:
            received, since = total["ipackets"], time.monotonic()
        if received >= total["opackets"] or time.monotonic() - since > patience_s:
            return stats
        time.sleep(0.01)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4501, help="of the RPC; statistics are published on the one below")
    parser.add_argument("--rate", default="100kpps")
    parser.add_argument("--duration", type=float, default=10)
    parser.add_argument("--patience", type=float, default=1, help="seconds without a packet after which some are lost")
    args = parser.parse_args()

    client = STLClient(server=args.server, sync_port=args.port, async_port=args.port - 1)
    client.connect()
    try:
        client.reset(ports=[0, 1])
        client.add_streams(stream("16.0.0.1", "48.0.0.1"), ports=[0])
        client.add_streams(stream("48.0.0.1", "16.0.0.1"), ports=[1])
        client.clear_stats()
        client.start(ports=[0, 1], mult=args.rate, duration=args.duration)
        client.wait_on_traffic(ports=[0, 1])
        stats = settled(client, args.patience)
    finally:
        client.disconnect()

    lost = 0
    for sender, receiver in ((0, 1), (1, 0)):
        sent, received = stats[sender]["opackets"], stats[receiver]["ipackets"]
        lost += sent - received
        print(f"{sender} to {receiver}: {sent} sent, {received} received, {sent - received} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
