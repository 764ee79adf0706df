"""The emulated hosts of a configuration, on the generator's ports: put there, started, stopped, asked for."""

from __future__ import annotations

import time
from collections.abc import Iterable

from wirespeed.client.generator_client import Call
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.otg.devices import EmulatedHost
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.patterns import Json
from wirespeed.otg.setup import Running

_WAIT_S = 3.0
"""Time for which a start waits for the MAC addresses of gateways."""

_POLL_S = 0.02


class Neighbors:
    """Callers have taken the ports."""

    def __init__(self, client: StatelessClient) -> None:
        self._client = client
        self._placed: dict[int, list[EmulatedHost]] = {}

    @property
    def placed(self) -> list[EmulatedHost]:
        return [host for hosts in self._placed.values() for host in hosts]

    def place(self, hosts: Iterable[EmulatedHost]) -> None:
        """Set the hosts, in place of earlier ones; they resolve their gateways again."""
        wanted: dict[int, list[EmulatedHost]] = {}
        for host in hosts:
            wanted.setdefault(host.port, []).append(host)
        for port in {*self._placed, *wanted} & set(self._client.owned):
            told = [host.to_json() for host in wanted.get(port, ())]
            self._client.on_ports("set_emulated_hosts", [port], hosts=told)
        self._placed = wanted

    def gateways(self) -> dict[EmulatedHost, str]:
        """MAC addresses of the gateways of all hosts; empty without an answer."""
        macs: dict[EmulatedHost, str] = {}
        for port, hosts in self._placed.items():
            [answer] = self._client.batch([Call("get_emulated_hosts", {"port_id": port})])
            macs |= {host: one["gateway_mac"] for host, one in zip(hosts, answer, strict=False)}
        return macs

    def resolved(self, flows: Iterable[Running]) -> dict[EmulatedHost, str]:
        """The gateways, once those that the flows send to have answered. ModelFault names the first that does not."""
        asked = [(one, way.tx) for one in flows if one.finds_gateways for way in one.ways]
        deadline_s = time.monotonic() + _WAIT_S
        while True:
            macs = self.gateways() if asked else {}
            silent = [(one, host) for one, host in asked if not macs.get(host)]
            if not silent:
                return macs
            if time.monotonic() > deadline_s:
                one, host = silent[0]
                there = "does not answer" if host in macs else "is asked for once protocols are started"
                raise ModelFault(
                    f"{one.path}.packet[0].ethernet.dst", f"{host.gateway}, the gateway of {host.names[0]!r}, {there}"
                )
            time.sleep(_POLL_S)

    def states(self, version: int, ethernets: Iterable[str]) -> list[Json]:
        """Neighbors of that IP version on these ethernets, as `/monitor/states` tells them."""
        wanted = set(ethernets)
        return [
            {"ethernet_name": host.ethernet, f"ipv{version}_address": str(host.gateway)}
            | ({"link_layer_address": mac} if mac else {})
            for host, mac in self.gateways().items()
            if host.version == version and host.ethernet in wanted
        ]
