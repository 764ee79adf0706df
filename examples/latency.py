#!/usr/bin/env python3
"""Latency and loss of single flows under load, by packet group.

examples/latency.py --rate 100kpps --duration 10
"""

import argparse
import sys

import lbr_trex_client  # noqa: F401 - puts T-Rex's client on the path
from trex.stl.api import (
    IP,
    UDP,
    Ether,
    STLClient,
    STLFlowLatencyStats,
    STLFlowStats,
    STLPktBuilder,
    STLStream,
    STLTXCont,
)

LOAD, PROBE = 7, 8
"""Packet groups: the load, and the packets whose latency is measured."""


def packet(port):
    base = Ether() / IP(src="16.0.0.1", dst="48.0.0.1") / UDP(sport=1025, dport=port)
    return STLPktBuilder(pkt=base / (b"x" * (60 - len(base))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4501, help="of the RPC; statistics are published on the one below")
    parser.add_argument("--rate", default="100kpps", help="of load and probes together")
    parser.add_argument("--duration", type=float, default=10)
    args = parser.parse_args()

    client = STLClient(server=args.server, sync_port=args.port, async_port=args.port - 1)
    client.connect()
    try:
        client.reset(ports=[0, 1])
        load = STLStream(packet=packet(12), mode=STLTXCont(pps=1), flow_stats=STLFlowStats(pg_id=LOAD))
        probe = STLStream(packet=packet(13), mode=STLTXCont(pps=1000), flow_stats=STLFlowLatencyStats(pg_id=PROBE))
        client.add_streams([load, probe], ports=[0])
        client.clear_stats()
        client.start(ports=[0], mult=args.rate, duration=args.duration)
        client.wait_on_traffic(ports=[0], rx_delay_ms=1000)  # what comes later does not count
        stats = client.get_pgid_stats([LOAD, PROBE])
    finally:
        client.disconnect()

    for group in (LOAD, PROBE):
        counted = stats["flow_stats"][group]
        print(f"group {group}: {counted['tx_pkts'][0]} sent, {counted['rx_pkts'][1]} received")
    seen = stats["latency"][PROBE]["latency"]
    print(f"latency: {seen['average']:.1f} us on average, {seen['total_min']} to {seen['total_max']} us")
    errors = {name: count for name, count in stats["latency"][PROBE]["err_cntrs"].items() if count}
    print(f"sequence: {errors or 'no errors'}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
