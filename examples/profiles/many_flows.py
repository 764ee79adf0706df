"""A T-Rex profile: UDP over many flows, in one frame size or the bench mix.

start -f examples/profiles/many_flows.py -m 100kpps -t --size 64 --flows 1000
"""

import argparse

from trex.stl.api import IP, STLVM, UDP, Ether, STLPktBuilder, STLStream, STLTXCont

MIX = ((68, 28), (590, 16), (1514, 4))
"""Frame sizes with FCS, and how many of each."""


class ManyFlows:
    def get_streams(self, port_id, direction, tunables, **kwargs):
        parser = argparse.ArgumentParser(prog="many_flows")
        parser.add_argument("--size", default="64", help="bytes with FCS, or imix")
        parser.add_argument("--flows", type=int, default=1000)
        args = parser.parse_args(tunables)
        sizes = MIX if args.size == "imix" else ((int(args.size), 1),)
        return [self.stream(size, share, direction, args.flows) for size, share in sizes]

    def stream(self, size, share, direction, flows):
        source, destination = ("16.0.0.1", "48.0.0.1") if direction == 0 else ("48.0.0.1", "16.0.0.1")
        packet = Ether() / IP(src=source, dst=destination) / UDP(sport=1025, dport=12)
        packet /= b"x" * max(0, size - 4 - len(packet))
        vm = STLVM()
        vm.var("port", 1025, 1024 + flows, size=2, op="inc")
        vm.write("port", "UDP.sport")
        vm.fix_chksum()
        return STLStream(packet=STLPktBuilder(packet, vm=vm), mode=STLTXCont(pps=share))


def register():
    return ManyFlows()
