"""A bench whose ports reach each other without a route: by cables in place of the device, or a device in L2XC."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wirespeed.client.probes import find_peers
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.errors import EnvironmentFault
from wirespeed.testbed.model import Bench
from wirespeed.testbed.neighbours import held, own_macs
from wirespeed.testbed.tester import running_tester
from wirespeed.trial.links import wait_for_links
from wirespeed.units import parse_speed


@contextmanager
def cabled(bench: Bench, force: bool = False) -> Iterator[tuple[StatelessClient, float | None]]:
    """A connected client of the bench's tester, whose ports send to each other, and the speed of its links where the
    file gives it. EnvironmentFault when a port's packets do not come in at the other one of its pair."""
    speeds = {link.speed for link in bench.links}
    speed = next(iter(speeds)) if len(speeds) == 1 else None
    with running_tester(bench) as server, StatelessClient(server) as client:
        client.connect()
        wait_for_links(client, bench.ports)
        with held(client, bench.ports, force):
            macs = own_macs(client, bench.ports)
            peers = find_peers(client, macs)
            for place, port in enumerate(bench.ports):
                other = bench.ports[place ^ 1]
                if peers[port] != other:
                    where = "at no port of the tester" if peers[port] is None else f"at port {peers[port]}"
                    raise EnvironmentFault(
                        f"frames from port {port} arrive {where}: to measure the tester alone, put a cable from port "
                        f"{port} to port {other}, or set the DUT to mode l2xc (`wirespeed dut prepare`)"
                    )
                client.on_ports("set_l2", [port], dst_mac=macs[other], block=False)
        yield client, None if speed is None else float(parse_speed(speed))
