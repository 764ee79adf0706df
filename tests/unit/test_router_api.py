"""Effects of the messages, on a core that forwards nothing; `tests/dataplane/test_router_papi.py` has the rest."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, ip_network
from pathlib import Path as FilePath
from typing import Any

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.model import parse_port_spec
from wirespeed.router.api import HANDLERS
from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.exchange import ProtocolFault, replies
from wirespeed.router.console import Console
from wirespeed.router.protocol import default_api_socket
from wirespeed.seam.counting import Counting
from wirespeed.seam.routes import NeighborState, Path, PathKind, Route, RouteSource
from wirespeed.vpp_api.codec import Values, coder
from wirespeed.vpp_api.table import TABLE


@pytest.fixture
def client() -> Iterator[Client]:
    console = Console(FakeRouterCore())
    yield Client(console, 1, "test", is_greeted=True)
    console.close()


def ask(client: Client, name: str, /, **fields: Any) -> list[Values]:
    request = coder(name).pack({"context": 9, **fields})
    answers = [
        coder(TABLE.by_number[int.from_bytes(data[:2])].name).unpack(data) for data in _messages(client, request)
    ]
    assert all(answer.context == 9 for answer in answers)
    return answers


def _messages(client: Client, request: bytes) -> Iterator[bytes]:
    return (data for data in replies(client, request) if isinstance(data, bytes))


def retval(client: Client, name: str, /, **fields: Any) -> int:
    (reply,) = ask(client, name, **fields)
    return int(reply.retval)


def test_every_request_has_a_handler_but_those_of_shared_memory() -> None:
    requests = {message.name for message in TABLE.messages.values() if message.reply or message.stream}
    assert requests - HANDLERS.keys() == {
        *("memclnt_create", "memclnt_create_v2", "memclnt_delete", "memclnt_read_timeout", "memclnt_rx_thread_suspend"),
        *("rpc_call", "rx_thread_exit", "sock_init_shm", "trace_plugin_msg_ids"),
    }


def test_tables_and_what_looks_in_them(client: Client) -> None:
    assert retval(client, "ip_table_add_del", table={"table_id": 7, "is_ip6": False, "name": "blue"}) == 0
    assert [(row.table.table_id, row.table.is_ip6, row.table.name) for row in ask(client, "ip_table_dump")] == [
        (0, False, "ipv4-VRF:0"),
        (7, False, "blue"),
        (0, True, "ipv6-VRF:0"),
    ]
    assert retval(client, "sw_interface_set_table", sw_if_index=1, vrf_id=7) == 0


def test_paths_come_and_go_one_by_one_or_all_at_once(client: Client) -> None:
    def hop(address: str, weight: int = 1) -> dict[str, Any]:
        packed = IPv4Address(address).packed.ljust(16, b"\0")
        return {"sw_if_index": ALL, "weight": weight, "nh": {"address": packed}}

    def change(is_add: bool, is_multipath: bool, *paths: dict[str, Any]) -> int:
        route = {"prefix": IPv4Interface("9.0.0.0/8"), "paths": paths}
        return retval(client, "ip_route_add_del", is_add=is_add, is_multipath=is_multipath, route=route)

    def hops() -> list[tuple[str, int]]:
        found = client.core.route(ip_network("9.0.0.0/8"))
        return [(str(path.next_hop), path.weight) for path in found.paths] if found else []

    assert change(True, False, hop("10.0.0.2")) == 0
    assert change(True, True, hop("10.0.0.3", 3)) == 0
    assert hops() == [("10.0.0.2", 1), ("10.0.0.3", 3)]
    assert change(False, True, hop("10.0.0.2")) == 0
    assert hops() == [("10.0.0.3", 3)]
    assert change(True, False, hop("10.0.0.4")) == 0
    assert hops() == [("10.0.0.4", 1)]
    assert change(True, False) == -7
    assert change(False, False) == 0
    assert hops() == []


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"type": 2}, PathKind.DROP),
        ({"type": 1}, PathKind.LOCAL),
        ({"type": 5}, PathKind.UNREACHABLE),
        ({"type": 6}, PathKind.PROHIBIT),
        ({"sw_if_index": 2}, PathKind.ATTACHED),
        ({"sw_if_index": ALL, "table_id": 0}, PathKind.LOOKUP),
    ],
)
def test_paths_that_are_no_next_hops(client: Client, fields: dict[str, Any], kind: PathKind) -> None:
    route = {"prefix": IPv4Interface("9.0.0.0/8"), "paths": [fields]}
    assert retval(client, "ip_route_add_del", is_add=True, route=route) == 0
    (found,) = ask(client, "ip_route_lookup", exact=1, prefix=IPv4Interface("9.0.0.0/8"))
    assert found.route.prefix.network == IPv4Network("9.0.0.0/8")
    (path,) = client.core.route(ip_network("9.0.0.0/8")).paths  # type: ignore[union-attr]
    assert path.kind is kind
    assert found.route.paths[0].type == fields.get("type", 0)


def test_paths_that_we_have_not_are_unimplemented(client: Client) -> None:
    for fields in ({"type": 3}, {"proto": 3}):
        route = {"prefix": IPv4Interface("9.0.0.0/8"), "paths": [{"sw_if_index": ALL, **fields}]}
        assert retval(client, "ip_route_add_del", is_add=True, route=route) == -9


def test_labels_have_what_the_packet_has_or_something_of_their_own(client: Client) -> None:
    labels = [{"is_uniform": 1, "label": 16}, {"label": 17, "ttl": 9, "exp": 3}, {"label": 18}]
    via = IPv4Address("10.0.0.2").packed.ljust(16, b"\0")
    path = {"sw_if_index": 2, "nh": {"address": via}, "n_labels": 3, "label_stack": labels}
    route = {"prefix": IPv4Interface("9.0.0.0/8"), "paths": [path]}
    assert retval(client, "ip_route_add_del", is_add=True, route=route) == 0
    (made,) = client.core.route(ip_network("9.0.0.0/8")).paths  # type: ignore[union-attr]
    assert made.labels == (16, 17, 18)
    assert [None if pipe is None else (pipe.ttl, pipe.traffic_class) for pipe in made.pipes] == [None, (9, 3), (255, 0)]
    (read,) = [
        row for row in ask(client, "ip_route_dump", table={}) if row.route.prefix.network == ip_network("9.0.0.0/8")
    ]
    assert [(label.is_uniform, label.label) for label in read.route.paths[0].label_stack[:3]] == [
        (1, 16),
        (0, 17),
        (0, 18),
    ]


def test_unnumbered_names_the_lender_first(client: Client) -> None:
    assert retval(client, "sw_interface_set_unnumbered", sw_if_index=1, unnumbered_sw_if_index=2, is_add=True) == 0
    assert [(row.sw_if_index, row.ip_sw_if_index) for row in ask(client, "ip_unnumbered_dump")] == [(2, 1)]
    assert retval(client, "sw_interface_set_unnumbered", sw_if_index=1, unnumbered_sw_if_index=99, is_add=True) == -10


def test_neighbors_that_have_not_answered_are_not_told(client: Client) -> None:
    neighbor = {"sw_if_index": 1, "mac_address": "02:00:00:00:00:01", "ip_address": IPv4Address("10.0.0.2")}
    assert retval(client, "ip_neighbor_add_del", is_add=True, neighbor=neighbor) == 0
    core = client.core
    assert isinstance(core, FakeRouterCore)
    (key,) = core.neighbor_table
    core.neighbor_table[(0, IPv4Address("10.0.0.3"))] = replace(
        core.neighbor_table[key], address=IPv4Address("10.0.0.3"), state=NeighborState.INCOMPLETE
    )
    assert [str(row.neighbor.ip_address) for row in ask(client, "ip_neighbor_dump")] == ["10.0.0.2"]
    assert ask(client, "ip_neighbor_dump", sw_if_index=2) == []


def test_dumps_take_a_name_or_a_number(client: Client) -> None:
    def names(**fields: Any) -> list[str]:
        return [row.interface_name for row in ask(client, "sw_interface_dump", **fields)]

    assert names() == ["local0", "e0", "e1"]
    assert names(sw_if_index=2) == ["e1"]
    assert names(sw_if_index=99) == []
    assert names(sw_if_index=0) == ["local0", "e0", "e1"]
    assert names(name_filter_valid=True, name_filter="E") == ["e0", "e1"]
    assert names(name_filter_valid=True, name_filter="L0", sw_if_index=2) == ["local0"]
    list(client.console.run("create ring wire name TenGigabitEthernet2/0/0"))
    assert names(name_filter_valid=True, name_filter="gigabit") == ["TenGigabitEthernet2/0/0"]


def test_the_machine_is_told(client: Client) -> None:
    (threads,) = ask(client, "show_threads")
    assert [(row.id, row.name, row.type) for row in threads.thread_data][1:] == [(1, "ws_wk_0", "workers")]
    cpu = threads.thread_data[1].cpu_id
    topology = FilePath(f"/sys/devices/system/cpu/cpu{cpu}/topology/core_id")
    assert threads.thread_data[1].core == (max(0, int(topology.read_text())) if topology.exists() else 0)
    assert FilePath(f"/sys/devices/system/cpu/cpu{cpu}/node{threads.thread_data[1].cpu_socket}").exists()
    before_s = time.time()
    (now,) = ask(client, "show_vpe_system_time")
    assert before_s <= now.vpe_system_time <= time.time()
    assert retval(client, "cli") == -9
    (versions,) = ask(client, "api_versions")
    assert {"interface.api", "lcp.api"} <= {row.name for row in versions.api_versions}
    module = f"memif_{TABLE.module_crc('memif'):08x}"
    assert ask(client, "get_first_msg_id", name=module)[0].first_msg_id == min(
        TABLE.numbers[name] for name in TABLE.modules["memif"].messages
    )
    assert ask(client, "get_first_msg_id", name="memif_00000000")[0].retval == -7
    assert ask(client, "memclnt_keepalive")[0].retval == 0


def test_a_line_may_wait_and_may_be_many(client: Client) -> None:
    (said,) = ask(client, "cli_inband", cmd="set interface state e0 up\nshow interface e0")
    assert said.retval == 0 and " up " in said.reply
    (failed,) = ask(client, "cli_inband", cmd="show interface e0\nshow nonsense")
    assert failed.retval == -1 and "'nonsense'" in failed.reply.splitlines()[-1]


def test_queues_have_modes_and_workers(client: Client) -> None:
    assert retval(client, "sw_interface_set_rx_mode", sw_if_index=1, mode=3) == 0
    assert retval(client, "sw_interface_set_rx_mode", sw_if_index=1, mode=0) == -7
    rows = ask(client, "sw_interface_rx_placement_dump", sw_if_index=1)
    assert [(row.queue_id, row.worker_id, row.mode) for row in rows] == [(0, 1, 3)]
    assert retval(client, "sw_interface_set_rx_placement", sw_if_index=1, worker_id=5) == -73
    assert retval(client, "sw_interface_set_rx_placement", sw_if_index=1, is_main=True) == -9


def test_each_worker_has_its_tx_queue_or_shares_one() -> None:
    console = Console(FakeRouterCore(workers=3))
    client = Client(console, 1, "test", is_greeted=True)
    queues = console.core.port(0).tx_queues
    *rows, end = ask(client, "sw_interface_tx_placement_get", sw_if_index=1)
    assert [(row.queue_id, row.threads, bool(row.shared)) for row in rows] == [
        (queue, list(range(queue + 1, 4, queues)), queue + queues < 3) for queue in range(queues)
    ]
    assert (end.retval, end.cursor) == (0, ALL)
    assert len(ask(client, "sw_interface_tx_placement_get", sw_if_index=ALL)) == 2 * queues + 1
    assert retval(client, "sw_interface_tx_placement_get", sw_if_index=99) == -2
    (sub,) = ask(client, "create_vlan_subif", sw_if_index=1, vlan_id=10)
    assert retval(client, "sw_interface_tx_placement_get", sw_if_index=sub.sw_if_index) == -71

    def placed(queue: int, *threads: int) -> int:
        return retval(client, "sw_interface_set_tx_placement", sw_if_index=1, queue_id=queue, threads=threads)

    assert placed(0, *rows[0].threads) == 0
    assert placed(0) == -9
    assert placed(0, 4) == placed(0, 0) == -7
    assert placed(99, 1) == -125
    console.close()


def test_memifs_of_the_start_and_of_clients(client: Client, tmp_path: FilePath) -> None:
    def told() -> list[tuple[str, int, int, int, int]]:
        rows = ask(client, "memif_dump")
        return [(row.if_name, row.sw_if_index, row.role, row.socket_id, row.id) for row in rows]

    def sockets() -> dict[int, str]:
        return {row.socket_id: row.socket_filename for row in ask(client, "memif_socket_filename_dump")}

    wire, own = str(tmp_path / "wire.sock"), str(tmp_path / "own.sock")
    client.console.memifs.adopt("e1", 1, parse_port_spec(f"memif:{wire},id=3,role=server"))
    (start,) = told()
    assert start == ("e1", 2, 0, 2**32 - 2, 3)
    assert sockets()[2**32 - 2] == wire
    for version, ident in (("", 5), ("_v2", 5), ("_v2", ALL)):
        name = f"memif_socket_filename_add_del{version}"
        path = own if ident == 5 else f"{own}.2"
        (reply,) = ask(client, name, is_add=True, socket_id=ident, socket_filename=path)
        assert (reply.retval, reply.get("socket_id", 5)) == (0, 5 if ident == 5 else 1)
    assert retval(client, "memif_socket_filename_add_del_v2", is_add=True, socket_id=5, socket_filename=wire) == -116
    assert retval(client, "memif_socket_filename_add_del_v2", is_add=True, socket_id=0, socket_filename=wire) == -73
    assert retval(client, "memif_socket_filename_add_del_v2", is_add=True, socket_id=7, socket_filename=wire) == 0
    assert told() == [("e1", 2, 0, 7, 3)]

    for message, fields in (("memif_create", {"id": 1}), ("memif_create_v2", {"id": 2, "role": 1, "secret": "open"})):
        (made,) = ask(client, message, socket_id=5, hw_addr="02:00:00:00:00:07", ring_size=512, **fields)
        assert made.retval == 0
        assert retval(client, message, socket_id=5, **fields) == -68
    assert isinstance(client.core, FakeRouterCore)
    spec = client.core.specs[client.index(made.sw_if_index)]
    assert (spec.options["secret"], spec.options["role"], spec.rx_descriptors) == ("open", "client", 512)
    assert spec.mac == "02:00:00:00:00:07"
    assert [row[0] for row in told()] == ["e1", "memif5/1", "memif5/2"]
    assert any("memif5/2" in line for line in client.console.run("show memif"))
    assert retval(client, "memif_create_v2", socket_id=9) == -73
    assert retval(client, "memif_create_v2", socket_id=5, id=9, ring_size=100) == -73
    assert retval(client, "memif_create_v2", socket_id=5, id=9, secret="a,b") == -73
    assert retval(client, "memif_create_v2", socket_id=5, id=9, mode=1) == -9
    assert retval(client, "memif_socket_filename_add_del", is_add=False, socket_id=5) == -73
    indices = made.sw_if_index, made.sw_if_index, 2
    assert [retval(client, "memif_delete", sw_if_index=index) for index in indices] == [0, -2, -2]
    assert [row[0] for row in told()] == ["e1", "memif5/1"]


def test_routes_tell_who_made_them(client: Client) -> None:
    assert isinstance(client.core, FakeRouterCore)
    for text, source in (("9.0.0.0/8", RouteSource.STATIC), ("10.0.0.0/8", RouteSource.LINUX)):
        prefix = ip_network(text)
        client.core.static[prefix] = Route(prefix, (Path(PathKind.DROP),), source)

    def told(src: int) -> dict[str, int]:
        rows = ask(client, "ip_route_v2_dump", src=src, table={"table_id": 0, "is_ip6": False})
        return {
            str(row.route.prefix): row.route.src for row in rows if str(row.route.prefix) in ("9.0.0.0/8", "10.0.0.0/8")
        }

    assert told(0) == {"9.0.0.0/8": 8, "10.0.0.0/8": 22}
    assert told(8) == {"9.0.0.0/8": 8}
    assert told(9) == {"9.0.0.0/8": 9}
    assert told(22) == {"10.0.0.0/8": 22}
    (found,) = ask(client, "ip_route_lookup_v2", exact=1, prefix=IPv4Interface("10.0.0.0/8"))
    assert found.route.src == 22
    route = {"prefix": IPv4Interface("11.0.0.0/8"), "paths": [{"type": 2}]}
    assert retval(client, "ip_route_add_del_v2", is_add=True, route={**route, "src": 9}) == 0
    assert retval(client, "ip_route_add_del_v2", is_add=True, route={**route, "src": 3}) == -9


def test_older_messages_do_what_newer_ones_do(client: Client) -> None:
    (loop,) = ask(client, "create_loopback", mac_address="02:00:00:00:00:09")
    assert client.core.interface(client.index(loop.sw_if_index)).mac == "02:00:00:00:00:09"
    assert retval(client, "bridge_domain_add_del", bd_id=5, is_add=True, learn=True) == 0
    assert [row.bd_id for row in ask(client, "bridge_domain_dump")] == [5]
    ends = {"src_address": IPv4Address("10.3.0.1"), "dst_address": IPv4Address("10.3.0.2"), "decap_next_index": ALL}
    for vni, version in ((1, ""), (2, "_v2")):
        assert retval(client, f"vxlan_add_del_tunnel{version}", is_add=True, instance=vni, vni=vni, **ends) == 0
    assert [row.vni for row in ask(client, "vxlan_tunnel_dump", sw_if_index=ALL)] == [1, 2]
    assert retval(client, "ip_table_add_del_v2", is_add=True, table={"table_id": 1, "is_ip6": False, "name": ""}) == 0
    (table,) = ask(client, "ip_table_allocate", table={"table_id": ALL, "is_ip6": False, "name": "red"})
    assert (table.retval, table.table.table_id, table.table.name) == (0, 2, "red")
    assert [row.table.table_id for row in ask(client, "ip_table_dump") if not row.table.is_ip6] == [0, 1, 2]
    (bond,) = ask(client, "bond_create", mode=5, lb=1, id=3)
    assert retval(client, "bond_enslave", sw_if_index=1, bond_sw_if_index=bond.sw_if_index) == 0
    assert [(row.id, row.slaves) for row in ask(client, "sw_interface_bond_dump")] == [(3, 1)]
    assert [row.sw_if_index for row in ask(client, "sw_interface_slave_dump", sw_if_index=bond.sw_if_index)] == [1]
    assert retval(client, "bond_detach_slave", sw_if_index=1) == 0
    assert ask(client, "mpls_table_dump") == []
    assert retval(client, "mpls_table_add_del", mt_is_add=True, mt_table={"mt_table_id": 0, "mt_name": ""}) == 0
    assert [row.mt_table.mt_table_id for row in ask(client, "mpls_table_dump")] == [0]
    assert retval(client, "sw_interface_set_unnumbered", sw_if_index=1, unnumbered_sw_if_index=2, is_add=True) == 0
    rows = ask(client, "ip_dump", is_ipv6=True)
    assert [(row.sw_if_index, row.is_ipv6) for row in rows[:2]] == [(0, True), (1, True)]
    assert 2 not in [row.sw_if_index for row in rows]


def test_what_is_too_short_is_an_invalid_value_or_the_end(client: Client) -> None:
    whole = coder("sw_interface_set_flags").pack({"context": 3})
    (reply,) = replies(client, whole[:-1])
    assert isinstance(reply, bytes)
    assert coder("sw_interface_set_flags_reply").unpack(reply) == {"context": 3, "retval": -7}
    with pytest.raises(ProtocolFault, match="sw_interface_set_flags: "):
        list(replies(client, whole[:9]))
    with pytest.raises(ProtocolFault, match="there is no message 9999"):
        list(replies(client, (9999).to_bytes(2)))


def test_the_socket_is_beside_the_control_socket() -> None:
    assert default_api_socket(FilePath("/run/wirespeed/router.sock")) == FilePath("/run/wirespeed/api.sock")
    assert default_api_socket(FilePath("/run/lab/b.sock")) == FilePath("/run/lab/b-api.sock")


def test_a_tag_is_kept_told_and_gone_with_its_interface(client: Client) -> None:
    def tags() -> list[str]:
        return [str(row.tag) for row in ask(client, "sw_interface_dump")]

    (made,) = ask(client, "create_loopback_instance", is_specified=True, user_instance=3)
    assert retval(client, "sw_interface_tag_add_del", is_add=True, sw_if_index=made.sw_if_index, tag="to-core") == 0
    assert tags() == ["", "", "", "to-core"]
    assert list(client.console.run("show interface tag")) == ["loop3: to-core"]
    list(client.console.run("set interface tag e0 wan"))
    assert retval(client, "sw_interface_tag_add_del", is_add=False, sw_if_index=made.sw_if_index) == 0
    assert tags() == ["", "wan", "", ""]
    with pytest.raises(UsageError, match="a tag has at most 63 bytes, not 64"):
        list(client.console.run(f"set interface tag loop3 {'x' * 64}"))
    list(client.console.run("clear interface tag e0"))
    list(client.console.run("set interface tag loop3 x"))
    list(client.console.run("delete loopback interface intfc loop3"))
    list(client.console.run("create loopback interface instance 3"))
    assert tags() == ["", "", "", ""]


def test_acls_and_where_they_are(client: Client) -> None:
    rule = {
        "is_permit": 1,
        "src_prefix": IPv4Interface("16.0.0.0/8"),
        "dst_prefix": IPv4Interface("0.0.0.0/0"),
        "proto": 6,
        "srcport_or_icmptype_last": 65535,
        "dstport_or_icmpcode_first": 80,
        "dstport_or_icmpcode_last": 443,
        "tcp_flags_mask": 18,
        "tcp_flags_value": 2,
    }
    for index in (0, 1):
        (reply,) = ask(client, "acl_add_replace", acl_index=ALL, tag="web", r=[rule] * (index + 1))
        assert (reply.retval, reply.acl_index) == (0, index)
    assert retval(client, "acl_add_replace", acl_index=7, r=[rule]) == -6
    assert retval(client, "acl_add_replace", acl_index=0, r=[{**rule, "is_permit": 3}]) == -9
    (row,) = ask(client, "acl_dump", acl_index=1)
    assert (row.tag, len(row.r), {name: row.r[1][name] for name in rule}) == ("web", 2, rule)
    assert retval(client, "acl_interface_set_acl_list", sw_if_index=1, n_input=1, acls=[1, 0]) == 0
    assert retval(client, "acl_interface_set_acl_list", sw_if_index=1, n_input=1, acls=[9]) == -6
    assert retval(client, "acl_interface_set_acl_list", sw_if_index=1, n_input=3, acls=[1, 0]) == -7
    rows = ask(client, "acl_interface_list_dump", sw_if_index=ALL)
    # All interfaces are listed, as in VPP.
    assert [row.sw_if_index for row in rows] == [row.sw_if_index for row in ask(client, "sw_interface_dump")]
    assert {row.sw_if_index: (row.n_input, list(row.acls)) for row in rows if row.count} == {1: (1, [1, 0])}
    assert [retval(client, "acl_del", acl_index=index) for index in (0, 1)] == [-143, -142]
    assert retval(client, "acl_interface_set_acl_list", sw_if_index=1, n_input=1, acls=[1, 9]) == -6
    (row,) = ask(client, "acl_interface_list_dump", sw_if_index=1)
    assert (row.n_input, list(row.acls)) == (1, [1, 0])
    assert retval(client, "acl_interface_set_acl_list", sw_if_index=1) == 0
    assert [retval(client, "acl_del", acl_index=0) for _ in range(2)] == [0, -6]


def test_vxlan_tunnels_come_are_told_and_go(client: Client) -> None:
    ends = {"src_address": IPv4Address("10.3.0.1"), "dst_address": IPv4Address("10.3.0.2")}
    given = {**ends, "vni": 100, "decap_next_index": ALL, "mcast_sw_if_index": ALL}
    (made,) = ask(client, "vxlan_add_del_tunnel_v3", is_add=True, instance=5, **given)
    (first,) = ask(
        client, "vxlan_add_del_tunnel_v3", is_add=True, instance=ALL, **{**given, "vni": 7, "decap_next_index": 3}
    )
    assert (made.retval, first.retval) == (0, 0)
    rows = ask(client, "vxlan_tunnel_v2_dump", sw_if_index=ALL)
    assert [(row.instance, row.vni, row.src_port, row.dst_port, row.decap_next_index) for row in rows] == [
        (5, 100, 4789, 4789, 1),
        (0, 7, 4789, 4789, 3),
    ]
    (row,) = ask(client, "vxlan_tunnel_v2_dump", sw_if_index=made.sw_if_index)
    assert (row.sw_if_index, row.encap_vrf_id, row.mcast_sw_if_index) == (made.sw_if_index, 0, ALL)
    assert {name: row[name] for name in ends} == ends
    assert ask(client, "vxlan_tunnel_v2_dump", sw_if_index=1) == []

    def refused(**fields: Any) -> int:
        return retval(client, "vxlan_add_del_tunnel_v3", **{"is_add": True, "instance": ALL, **given, **fields})

    assert refused(dst_address=ends["src_address"]) == -82
    assert refused(decap_next_index=0) == -76
    assert refused(is_l3=True) == refused(dst_port=8472) == -9
    assert refused(instance=16384, vni=9) == -73
    assert refused(is_add=False, vni=9) == -6
    (gone,) = ask(client, "vxlan_add_del_tunnel_v3", is_add=False, **{**given, "decap_next_index": 0})
    assert (gone.retval, gone.sw_if_index) == (0, made.sw_if_index)
    assert [row.instance for row in ask(client, "vxlan_tunnel_v2_dump", sw_if_index=ALL)] == [0]


def test_reverse_path_modes_are_set_and_told(client: Client) -> None:
    def told(sw_if_index: int) -> list[tuple[int, bool, int, int, int]]:
        rows = ask(client, "urpf_interface_dump", sw_if_index=sw_if_index)
        return [(row.sw_if_index, row.is_input, row.mode, row.af, row.table_id) for row in rows]

    assert told(ALL) == []
    assert retval(client, "urpf_update", is_input=True, mode=2, af=0, sw_if_index=1) == 0
    assert retval(client, "urpf_update_v2", is_input=True, mode=1, af=1, sw_if_index=2, table_id=ALL) == 0
    assert told(ALL) == [(1, True, 2, 0, 0), (2, True, 1, 1, 0)]
    assert told(2) == [(2, True, 1, 1, 0)]
    assert retval(client, "urpf_update_v2", is_input=True, mode=2, af=0, sw_if_index=1, table_id=7) == -3
    assert retval(client, "ip_table_add_del", is_add=True, table={"table_id": 7, "is_ip6": False, "name": ""}) == 0
    assert retval(client, "urpf_update_v2", is_input=False, mode=2, af=0, sw_if_index=1, table_id=7) == 0
    assert told(1) == [(1, True, 2, 0, 0), (1, False, 2, 0, 7)]
    assert retval(client, "urpf_update", is_input=False, mode=0, af=0, sw_if_index=1) == 0
    assert retval(client, "urpf_update", is_input=True, mode=2, af=0, sw_if_index=99) == -2
    assert retval(client, "urpf_update", is_input=True, mode=0, af=0, sw_if_index=1) == 0
    assert told(ALL) == [(2, True, 1, 1, 0)]


def test_fields_of_flows_are_set(client: Client) -> None:
    def chosen(version: int) -> int:
        return next(table.flow_hash for table in client.core.tables.of(version) if not table.id)

    assert (chosen(4), chosen(6)) == (31, 159)
    assert retval(client, "set_ip_flow_hash_v2", table_id=0, af=1, flow_hash_config=0x82) == 0
    assert retval(client, "set_ip_flow_hash_v3", table_id=0, af=0, flow_hash_config=0x43) == 0
    assert (chosen(4), chosen(6)) == (0x43, 0x82)
    bools = {
        word: word in ("src", "proto") for word in ("src", "dst", "sport", "dport", "proto", "reverse", "symmetric")
    }
    assert retval(client, "set_ip_flow_hash", vrf_id=0, is_ipv6=False, **bools) == 0
    assert chosen(4) == 0x11
    assert retval(client, "set_ip_flow_hash_v3", table_id=0, af=0, flow_hash_config=0x101) == -9
    assert retval(client, "set_ip_flow_hash_v3", table_id=0, af=0, flow_hash_config=0x20) == -7
    assert retval(client, "set_ip_flow_hash_v3", table_id=9, af=0, flow_hash_config=1) == -3
    assert chosen(4) == 0x11


def test_routes_that_count_tell_their_index(client: Client) -> None:
    prefix = ip_network("48.0.0.0/8")
    assert isinstance(client.core, FakeRouterCore)
    client.core.static[prefix] = Route(prefix, (Path(PathKind.DROP),), index=5)

    def told() -> int:
        rows = ask(client, "ip_route_dump", table={"table_id": 0, "is_ip6": False})
        return next(int(row.route.stats_index) for row in rows if str(row.route.prefix) == "48.0.0.0/8")

    assert told() == ALL
    client.core.counting.set(Counting.ROUTES, True)
    assert told() == 5


def test_samples_are_set_and_told(client: Client) -> None:
    def told() -> tuple[int, int, int]:
        (rate,), (interval,), (header,) = (
            ask(client, f"sflow_{word}_get") for word in ("sampling_rate", "polling_interval", "header_bytes")
        )
        return rate.sampling_N, interval.polling_S, header.header_B

    assert told() == (10000, 20, 128)
    assert retval(client, "sflow_sampling_rate_set", sampling_N=1000) == 0
    assert retval(client, "sflow_polling_interval_set", polling_S=5) == 0
    assert retval(client, "sflow_header_bytes_set", header_B=64) == 0
    assert retval(client, "sflow_sampling_rate_set", sampling_N=0) == -7
    assert retval(client, "sflow_polling_interval_set", polling_S=0) == -73
    assert retval(client, "sflow_header_bytes_set", header_B=257) == -7
    assert told() == (1000, 5, 64)
    (loop,) = ask(client, "create_loopback_instance", is_specified=True, user_instance=3)
    assert retval(client, "sflow_enable_disable", enable_disable=True, hw_if_index=loop.sw_if_index) == -2
    assert retval(client, "sflow_enable_disable", enable_disable=True, hw_if_index=99) == -2
    assert [retval(client, "sflow_enable_disable", enable_disable=True, hw_if_index=2) for _ in range(2)] == [0, -81]
    assert [row.hw_if_index for row in ask(client, "sflow_interface_dump", hw_if_index=ALL)] == [2]
    assert ask(client, "sflow_interface_dump", hw_if_index=1) == []
    assert retval(client, "sflow_enable_disable", enable_disable=False, hw_if_index=2) == 0
