"""VPP's own Python client, in both modes, configures an empty router, and packets pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Interface, IPv4Network, IPv6Network
from pathlib import Path
from typing import Any

import pytest
from generator_child import GeneratorChild
from harness.waiting import PATIENCE_S, wait_for
from router_run import HOST0, HOST1, ROUTER0, ROUTER1, RouterProcess, router
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw
from vpp_papi import VPPApiClient
from vpp_papi.vpp_papi_async import VPPApiClient as AsyncClient

from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.model import parse_port_spec
from wirespeed.vpp_api.json_files import api_directory

# Warnings of vpp_papi about its own data files.
pytestmark = pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")

PACKETS = 200
NOBODY = 0xFFFFFFFF
E0, E1 = 1, 2  # local0 is 0
UP = 1
LABEL_SWAP, LABEL_POP = 100, 101


@dataclass
class Lab:
    running: RouterProcess
    child: GeneratorChild

    @property
    def socket(self) -> str:
        return str(self.running.socket.with_name("api.sock"))

    def passes(self, frame: Packet) -> None:
        """True if as many packets leave e1 as were sent into e0."""
        before = self.child.snapshot().ports[1].rx_packets
        data = bytes(frame / UDP(sport=1025, dport=12) / Raw(b"x" * 22))
        self.child.start(0, Stream(1, data, mode=StreamMode.SINGLE_BURST, rate_pps=20e3, packets=PACKETS))
        wait_for(lambda: self.child.snapshot().ports[1].rx_packets - before >= PACKETS, f"{frame.summary()} behind e1")
        self.child.finish()
        assert self.child.snapshot().ports[1].rx_packets - before == PACKETS


@contextmanager
def lab(directory: Path) -> Iterator[Lab]:
    wires = [f"memif:{directory}/w{index}.sock,role=server" for index in (0, 1)]
    lent = [str(parse_port_spec(wire.replace("server", "client")).lending()) for wire in wires]
    with (
        router(directory, [f"e{index}={wire}" for index, wire in enumerate(wires)]) as running,
        GeneratorChild(*lent) as child,
    ):
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "both links")
        yield Lab(running, child)


Calls = Callable[..., Awaitable[Any]]


@contextmanager
def calling(socket: str) -> Iterator[tuple[VPPApiClient, Calls]]:
    """A client with the calls of the asynchronous one: each must succeed."""
    client = VPPApiClient(apidir=str(api_directory()), server_address=socket, read_timeout=60)
    client.connect("papi")

    async def call(name: str, **fields: Any) -> Any:
        return good(getattr(client.api, name)(**fields), name)

    try:
        yield client, call
    finally:
        client.disconnect()


def good(answer: Any, name: str) -> Any:
    assert getattr(answer, "retval", 0) == 0, f"{name}: {answer}"
    return answer


def path(address: str, interface: int = NOBODY, labels: tuple[int, ...] = ()) -> dict[str, Any]:
    stack = [{"is_uniform": 1, "label": label, "ttl": 0, "exp": 0} for label in labels]
    empty = {"is_uniform": 0, "label": 0, "ttl": 0, "exp": 0}
    six = ":" in address
    return {
        "sw_if_index": interface,
        "table_id": 0,
        "rpf_id": NOBODY,
        "weight": 1,
        "preference": 0,
        "type": 0,
        "flags": 0,
        "proto": int(six),
        "nh": {
            "address": {"ip6" if six else "ip4": address},
            "via_label": NOBODY,
            "obj_id": 0,
            "classify_table_index": 0,
        },
        "n_labels": len(stack),
        "label_stack": stack + [empty] * (16 - len(stack)),
    }


async def add_route(call: Calls, prefix: str, *paths: dict[str, Any], table: int = 0) -> None:
    route = {"table_id": table, "prefix": prefix, "n_paths": len(paths), "paths": list(paths)}
    await call("ip_route_add_del", is_add=True, route=route)


async def add_label(call: Calls, label: int, out: dict[str, Any]) -> None:
    route = {"mr_table_id": 0, "mr_label": label, "mr_eos": 1, "mr_eos_proto": 0, "mr_is_multicast": False}
    await call("mpls_route_add_del", mr_is_add=True, mr_route={**route, "mr_n_paths": 1, "mr_paths": [out]})


async def configure(call: Calls) -> None:
    """Two routed ports, and routes in IPv4, IPv6 and MPLS."""
    await call("mpls_table_add_del", mt_is_add=True, mt_table={"mt_table_id": 0, "mt_name": "labels"})
    hosts = {E0: (ROUTER0, HOST0), E1: (ROUTER1, HOST1)}
    for index, (mac, host) in hosts.items():
        await call("sw_interface_set_mac_address", sw_if_index=index, mac_address=mac)
        await call("hw_interface_set_mtu", sw_if_index=index, mtu=1700)
        await call("sw_interface_set_mtu", sw_if_index=index, mtu=[1500, 0, 1400, 0])
        await call("sw_interface_set_flags", sw_if_index=index, flags=UP)
        await call("sw_interface_set_mpls_enable", sw_if_index=index, enable=True)
        for prefix in (f"100.64.{index}.1/30", f"2001:db8:{index}::1/64"):
            await call("sw_interface_add_del_address", sw_if_index=index, is_add=True, prefix=prefix)
        for address in (f"100.64.{index}.2", f"2001:db8:{index}::2"):
            neighbor = {"sw_if_index": index, "flags": 1, "mac_address": host, "ip_address": address}
            await call("ip_neighbor_add_del", is_add=True, neighbor=neighbor)
    await add_route(call, "48.0.0.0/8", path("100.64.2.2", E1))
    await add_route(call, "2001:db8:48::/48", path("2001:db8:2::2", E1))
    await add_label(call, LABEL_SWAP, path("100.64.2.2", E1, (200,)))
    await add_label(call, LABEL_POP, path("100.64.2.2", E1, (3,)))


def check_load(made: Lab) -> None:
    ether = Ether(src=HOST0, dst=ROUTER0)
    ip4 = IP(src="16.0.0.1", dst="48.0.0.1")
    made.passes(ether / ip4)
    made.passes(ether / IPv6(src="2001:db8:16::1", dst="2001:db8:48::1"))
    made.passes(ether / MPLS(label=LABEL_SWAP, s=1, ttl=64) / ip4)
    made.passes(ether / MPLS(label=LABEL_POP, s=1, ttl=64) / ip4)


def test_the_synchronous_client_configures_all_of_it(tmp_path: Path) -> None:
    with lab(tmp_path) as made, calling(made.socket) as (client, call):
        asyncio.run(configure(call))
        check_load(made)
        check_what_is_read(client)
        use_older_messages(client, tmp_path)
        asyncio.run(use_tags(call, made))
        asyncio.run(use_layer_2(call, made))
        asyncio.run(refuse(client))


def check_what_is_read(client: VPPApiClient) -> None:
    faces = {face.interface_name: face for face in client.api.sw_interface_dump()}
    assert set(faces) == {"local0", "e0", "e1"}
    assert faces["e1"].sw_if_index == E1 and faces["e1"].flags == 3
    assert (faces["e1"].interface_dev_type, str(faces["e1"].l2_address)) == ("memif", ROUTER1)
    assert list(faces["e1"].mtu) == [1500, 0, 1400, 0] and faces["e1"].link_mtu == 1700
    (address,) = client.api.ip_address_dump(sw_if_index=E1, is_ipv6=False)
    assert address.prefix == IPv4Interface("100.64.2.1/30")
    (six,) = client.api.ip_neighbor_dump(sw_if_index=E1, af=1)
    assert (str(six.neighbor.ip_address), str(six.neighbor.mac_address)) == ("2001:db8:2::2", HOST1)
    assert six.neighbor.flags == 1
    routes = {found.route.prefix: found.route for found in client.api.ip_route_dump(table={"table_id": 0})}
    (out,) = routes[IPv4Network("48.0.0.0/8")].paths
    assert (out.sw_if_index, str(out.nh.address.ip4), out.weight) == (E1, "100.64.2.2", 1)
    sixes = client.api.ip_route_dump(table={"table_id": 0, "is_ip6": True})
    assert IPv6Network("2001:db8:48::/48") in {found.route.prefix for found in sixes}
    labels = {found.mr_route.mr_label: found.mr_route for found in client.api.mpls_route_dump(table={"mt_table_id": 0})}
    assert [label.label for label in labels[LABEL_SWAP].mr_paths[0].label_stack[:1]] == [200]
    assert [face.sw_if_index for face in client.api.mpls_interface_dump()] == [E0, E1]
    found = client.api.ip_route_lookup(table_id=0, exact=0, prefix="48.1.2.3/32")
    assert found.retval == 0 and found.route.prefix == IPv4Network("48.0.0.0/8")


def use_older_messages(client: VPPApiClient, directory: Path) -> None:
    """Versions of messages in existing scripts, and details of the memifs in the start-up file."""
    api = client.api
    assert {row.if_name: row.id for row in api.memif_dump()} == {"e0": 0, "e1": 0}
    sockets = {row.socket_filename: row.socket_id for row in api.memif_socket_filename_dump()}
    assert {str(directory / "w0.sock"), str(directory / "w1.sock")} <= sockets.keys()
    socket = {"is_add": True, "socket_id": 3, "socket_filename": str(directory / "own.sock")}
    assert good(api.memif_socket_filename_add_del_v2(**socket), "socket").socket_id == 3
    empty = {"ring_size": 0, "buffer_size": 0, "rx_queues": 0, "tx_queues": 0, "secret": ""}
    made = good(api.memif_create_v2(role=0, mode=0, id=4, socket_id=3, hw_addr="02:00:00:00:00:04", **empty), "memif")
    (face,) = api.sw_interface_dump(sw_if_index=made.sw_if_index)
    assert (face.interface_name, str(face.l2_address)) == ("memif3/4", "02:00:00:00:00:04")
    good(api.memif_delete(sw_if_index=made.sw_if_index), "memif_delete")
    good(api.memif_socket_filename_add_del_v2(is_add=False, socket_id=3, socket_filename=""), "socket")
    before = datetime.now().replace(microsecond=0)
    assert before <= api.show_vpe_system_time().vpe_system_time <= datetime.now()
    assert [row.sw_if_index for row in api.ip_dump(is_ipv6=False)] == [0, E0, E1]
    assert [face.sw_if_index for face in api.sw_interface_dump(sw_if_index=0)] == [0, E0, E1]
    routes = {str(row.route.prefix): row.route.src for row in api.ip_route_v2_dump(src=0, table={"table_id": 0})}
    assert (routes["48.0.0.0/8"], routes["100.64.1.0/30"]) == (8, 4)
    end, placed = api.sw_interface_tx_placement_get(cursor=0, sw_if_index=E0)
    assert end.retval == 0 and [list(row.threads) for row in placed] == [[1]]
    assert [row.mt_table.mt_name for row in api.mpls_table_dump()] == ["MPLS-VRF:0"]
    loop = good(api.create_loopback(mac_address="02:00:00:00:00:05"), "create_loopback")
    good(api.delete_loopback(sw_if_index=loop.sw_if_index), "delete_loopback")


async def use_tags(call: Calls, made: Lab) -> None:
    """Received with a VLAN tag, sent with two tags, the outer one 802.1ad."""
    inner = (await call("create_vlan_subif", sw_if_index=E0, vlan_id=10)).sw_if_index
    flags = 4 | 8 | 16  # two tags, dot1ad, exact match
    fields = {"sub_id": 77, "sub_if_flags": flags, "outer_vlan_id": 20, "inner_vlan_id": 30}
    outer = (await call("create_subif", sw_if_index=E1, **fields)).sw_if_index
    for index, prefix in ((inner, "100.65.1.1/30"), (outer, "100.65.2.1/30")):
        await call("sw_interface_set_flags", sw_if_index=index, flags=UP)
        await call("sw_interface_add_del_address", sw_if_index=index, is_add=True, prefix=prefix)
    neighbor = {"sw_if_index": outer, "flags": 1, "mac_address": HOST1, "ip_address": "100.65.2.2"}
    await call("ip_neighbor_add_del", is_add=True, neighbor=neighbor)
    await add_route(call, "49.0.0.0/8", path("100.65.2.2"))
    made.passes(Ether(src=HOST0, dst=ROUTER0) / Dot1Q(vlan=10) / IP(src="16.0.0.1", dst="49.0.0.1"))
    assert f"e1.77{'':>27}" in made.running.ask("show interface")
    route = {"table_id": 0, "prefix": "49.0.0.0/8", "n_paths": 0, "paths": []}
    await call("ip_route_add_del", is_add=False, route=route)
    for index in (inner, outer):
        await call("delete_subif", sw_if_index=index)


async def use_layer_2(call: Calls, made: Lab) -> None:
    """A bridge domain with a BVI, then a cross-connect that pops a tag."""
    loop = (await call("create_loopback_instance", is_specified=True, user_instance=0)).sw_if_index
    for index in (E0, E1):
        for prefix in (f"100.64.{index}.1/30", f"2001:db8:{index}::1/64"):
            await call("sw_interface_add_del_address", sw_if_index=index, is_add=False, prefix=prefix)
    domain = {"bd_id": 13, "flood": True, "uu_flood": True, "forward": True, "learn": True, "mac_age": 5}
    assert (await call("bridge_domain_add_del_v2", is_add=True, **domain)).bd_id == 13
    for index, kind in ((E0, 0), (E1, 0), (loop, 1)):
        fields = {"rx_sw_if_index": index, "bd_id": 13, "port_type": kind, "shg": 0}
        await call("sw_interface_set_l2_bridge", **fields, enable=True)
    tagged = Ether(src=HOST0, dst=HOST1) / Dot1AD(vlan=5) / IP(src="16.0.0.1", dst="48.0.0.1")
    made.passes(tagged)
    (read,) = await call("bridge_domain_dump")
    assert (read.bd_id, read.mac_age, read.bvi_sw_if_index, read.n_sw_ifs) == (13, 5, loop, 3)
    stations = {str(station.mac): station.sw_if_index for station in await call("l2_fib_table_dump", bd_id=13)}
    assert stations[HOST0] == E0
    await call("bridge_flags", bd_id=13, is_set=False, flags=1)
    assert not (await call("bridge_domain_dump", bd_id=13))[0].learn
    for index in (E0, E1, loop):
        await call("sw_interface_set_l2_bridge", rx_sw_if_index=index, bd_id=13, enable=False)
    await call("bridge_domain_add_del_v2", bd_id=13, is_add=False)
    vlan = (await call("create_vlan_subif", sw_if_index=E0, vlan_id=5)).sw_if_index
    await call("sw_interface_set_flags", sw_if_index=vlan, flags=UP)
    for index, to in ((vlan, E1), (E1, vlan)):
        await call("sw_interface_set_l2_xconnect", rx_sw_if_index=index, tx_sw_if_index=to, enable=True)
    await call("l2_interface_vlan_tag_rewrite", sw_if_index=vlan, vtr_op=3, push_dot1q=1, tag1=0, tag2=0)
    made.passes(Ether(src=HOST0, dst=HOST1) / Dot1Q(vlan=5) / IP(src="16.0.0.1", dst="48.0.0.1"))
    rows = {(row.rx_sw_if_index, row.tx_sw_if_index) for row in await call("l2_xconnect_dump")}
    assert rows == {(vlan, E1), (E1, vlan)}
    assert [face.vtr_op for face in await call("sw_interface_dump", sw_if_index=vlan)] == [3]
    for index, to in ((vlan, E1), (E1, vlan)):
        await call("sw_interface_set_l2_xconnect", rx_sw_if_index=index, tx_sw_if_index=to, enable=False)
    await call("delete_subif", sw_if_index=vlan)
    await call("delete_loopback", sw_if_index=loop)


async def refuse(client: VPPApiClient) -> None:
    """VPP's error numbers for invalid requests."""
    api = client.api
    assert api.sw_interface_set_flags(sw_if_index=99, flags=UP).retval == -2
    assert api.sw_interface_set_flags(sw_if_index=0, flags=UP).retval == -2
    assert api.delete_subif(sw_if_index=E0).retval == -2
    assert api.create_vlan_subif(sw_if_index=E0, vlan_id=10).retval == 0
    assert api.create_vlan_subif(sw_if_index=E0, vlan_id=10).retval == -56
    assert api.create_subif(sw_if_index=E0, sub_id=10, sub_if_flags=18, outer_vlan_id=10).retval == -68
    assert api.create_vlan_subif(sw_if_index=E0, vlan_id=5000).retval == -73
    assert api.sw_interface_set_table(sw_if_index=E0, is_ipv6=False, vrf_id=7).retval == -3
    assert api.ip_table_add_del(is_add=True, table={"table_id": 7, "is_ip6": False, "name": "blue"}).retval == 0
    assert api.sw_interface_set_table(sw_if_index=E0, is_ipv6=False, vrf_id=7).retval == 0
    assert api.sw_interface_get_table(sw_if_index=E0, is_ipv6=False).vrf_id == 7
    assert "blue" in [row.table.name for row in api.ip_table_dump()]
    assert api.sw_interface_set_table(sw_if_index=E0, is_ipv6=False, vrf_id=0).retval == 0
    assert api.ip_route_lookup(table_id=0, exact=1, prefix="9.9.9.0/24").retval == -6
    assert api.ip_route_lookup(table_id=8, exact=1, prefix="9.9.9.0/24").retval == -3
    assert api.sw_interface_add_del_address(sw_if_index=E0, is_add=False, prefix="9.9.9.9/24").retval == -106
    assert api.sw_interface_set_rx_placement(sw_if_index=E0, queue_id=9).retval == -125
    assert api.sw_interface_set_mtu(sw_if_index=E0, mtu=[9999, 0, 0, 0]).retval == -73
    assert api.bridge_domain_add_del_v2(bd_id=1 << 24, is_add=True).retval == -73
    assert api.bridge_domain_add_del_v2(bd_id=5, is_add=False).retval == -6
    assert api.bridge_domain_add_del_v2(bd_id=5, is_add=True, arp_term=True).retval == -9
    assert api.cli_inband(cmd="show nothing").retval == -1


def test_the_asynchronous_client_configures_all_of_it(tmp_path: Path) -> None:
    async def work(made: Lab) -> None:
        client = AsyncClient(server_address=made.socket, read_timeout=60)
        # Without events, whose messages have no context: vpp_papi's reader would end.
        await client.connect("papi", asyncio.Queue())

        async def call(name: str, **fields: Any) -> Any:
            return good(await getattr(client.api, name)(**fields), name)

        await configure(call)
        _, faces = await client.api.sw_interface_dump()
        assert [face.interface_name for face in faces] == ["local0", "e0", "e1"]
        await client.disconnect()

    with lab(tmp_path) as made:
        asyncio.run(asyncio.wait_for(work(made), PATIENCE_S))
        check_load(made)
