"""Neighbours on a link: ARP (RFC 826) and neighbour discovery (RFC 4861) from a tester's port, and the addresses of
that port."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wirespeed.client.generator_client import Call
from wirespeed.client.probes import Layer3, resolve, resolve6
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.errors import EnvironmentFault
from wirespeed.testbed.model import Bench, TestbedLink

WAIT_S = 1.0
ATTEMPTS = 3


@contextmanager
def held(client: StatelessClient, ports: Sequence[int], force: bool = False) -> Iterator[None]:
    """Acquire `ports` for the block, in service mode, which T-Rex's captures need."""
    try:
        client.take(ports, force)
        client.on_ports("service", ports, enabled=True, filtered=False)
        yield
        client.on_ports("service", ports, enabled=False, filtered=False)
    finally:
        client.give_back(ports)


def own_macs(client: StatelessClient, ports: Sequence[int]) -> dict[int, str]:
    """The Ethernet address that each port sends from."""
    answers = client.batch(
        [Call("get_port_status", {"port_id": port, "block": False, "profile_id": "*"}) for port in ports]
    )
    return {port: _source(raw) for port, raw in zip(ports, answers, strict=True)}


def _source(raw: Mapping[str, Any]) -> str:
    return str(raw["attr"]["layer_cfg"]["ether"]["src"])


def ask(client: StatelessClient, port: int, mac: str, link: TestbedLink, wait_s: float = WAIT_S) -> str | None:
    """The MAC address that answers on `port` for the DUT's address of `link`; None without an answer. `mac` is the
    port's own."""
    assert link.dut_address is not None and link.tester_address is not None
    theirs = str(ipaddress.ip_interface(link.dut_address).ip)
    for _ in range(ATTEMPTS):
        by = resolve6 if ":" in theirs else resolve
        answer = by(client, port, Layer3(mac, "", link.tester_address, theirs), wait_s / ATTEMPTS)
        if answer is not None:
            return answer.lower()
    return None


def settle(client: StatelessClient, bench: Bench) -> dict[int, str]:
    """Set the addresses of the acquired ports and the device's MAC address, which is resolved if the file does not have
    it. Returns the MAC addresses. EnvironmentFault without an answer. A cross-connect needs none."""
    if bench.mode == "l2xc":
        return {}
    macs = own_macs(client, bench.ports)
    by_port = {}
    for link in bench.filled().links:
        mac = link.dut_mac or ask(client, link.port, link.tester_mac or macs[link.port], link)
        if mac is None:
            raise EnvironmentFault(
                f"port {link.port}: {link.dut_address} does not answer ARP or ND; "
                "`wirespeed testbed check` finds the cause"
            )
        assign(client, link, mac)
        by_port[link.port] = mac
    return by_port


def assign(client: StatelessClient, link: TestbedLink, mac: str) -> None:
    """Makes `mac` the destination of the port of `link`, and lets the port answer for its own address."""
    assert link.tester_address is not None and link.dut_address is not None
    if ":" in link.tester_address:
        client.on_ports("set_l2", [link.port], dst_mac=mac, block=False)
        client.on_ports("conf_ipv6", [link.port], enabled=True, src_ipv6=link.tester_address, block=False)
        return
    theirs = str(ipaddress.ip_interface(link.dut_address).ip)
    addresses = {"src_addr": link.tester_address, "dst_addr": theirs, "resolved_mac": mac}
    client.on_ports("set_l3", [link.port], block=False, **addresses)
