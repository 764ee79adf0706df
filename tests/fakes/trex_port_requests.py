"""Requests about a port of a strict T-Rex: owner, properties, pushed packets, counters."""

from __future__ import annotations

from typing import Any, Protocol

from trex_captures import Captures
from trex_fields import Fields, Refused
from trex_port import Port, must_live
from trex_statistics import Statistics
from trex_streams import packet_of

_PORT_STARTED, _ACQUIRED, _RELEASED = 0, 5, 6
_PCAP_S = 0.2
_OPEN_S = 0.05


class PortRequests(Protocol):
    """Part of the server, with these requests."""

    ports: list[Port]
    captures: Captures
    statistics: Statistics
    extended: bool
    unstamped: bool
    files: frozenset[str]
    session_queues: dict[int, list[dict[str, Any]]]

    @property
    def now_s(self) -> float: ...
    def _port(self, params: Fields) -> Port: ...
    def _new_handle(self) -> str: ...
    def _tell(self, kind: int, data: dict[str, Any]) -> None: ...

    # ---- ports

    def _do_acquire(self, params: Fields) -> Any:
        port, user, force = self._port(params), params.text("user"), params.truth("force")
        session = params.whole("session_id")
        same = (port.owner, port.session) == (user, session)
        if port.owner and not force and not same:
            if port.owner != user:
                raise Refused(f"port is already taken by '{port.owner}'")
            raise Refused(f"port is already owned by another session of '{user}'")
        held = bool(port.owner)
        if not (same and not force):
            port.handler = self._new_handle()
        port.owner, port.session = user, session
        self.session_queues.setdefault(session, [])
        told = {"force": force and held, "port_id": port.index, "session_id": session, "who": user}
        self._tell(_ACQUIRED, told)
        return port.handler

    def _do_release(self, params: Fields) -> Any:
        port = self._port(params)
        told = {"port_id": port.index, "session_id": port.session, "who": port.owner}
        port.owner = port.handler = ""
        self._tell(_RELEASED, told)
        return {}

    def _do_get_owner(self, params: Fields) -> Any:
        return {"owner": self._port(params).owner or "<FREE>"}

    def _do_get_port_status(self, params: Fields) -> Any:
        port, profile = self._port(params), params.raw.get("profile_id")
        params.truth("block", False)
        if profile not in (None, "*"):
            must_live(port, profile)
        return port.status(profile)

    def _do_set_port_attr(self, params: Fields) -> Any:
        port, wanted = self._port(params), params.inner("attr")
        for name in wanted.raw:
            if name in ("promiscuous", "multicast"):
                port.attributes[name] = {"enabled": wanted.inner(name).truth("enabled")}
            elif name in ("link_status", "led_status", "flow_ctrl_mode", "vxlan_fs"):
                raise Refused(f"Error applying {name}: operation is not supported for this NIC.")
            else:
                raise Refused(f"unknown attribute type: '{name}'")
        return {}

    def _do_service(self, params: Fields) -> Any:
        port, enabled, filtered = self._port(params), params.truth("enabled"), params.truth("filtered", False)
        if not enabled and not filtered and self.captures.holding(port.index):
            raise Refused(f"unable to disable service mode - an active capture on port {port.index} exists")
        port.service, port.filtered = enabled, filtered
        return {}

    def _do_set_rx_feature(self, params: Fields) -> Any:
        port, kind = self._port(params), params.one_of("type", "queue", "server", "capwap_proxy")
        enabled = params.truth("enabled")
        if kind == "queue":
            port.queue_size = params.whole("size") if enabled else None
            if port.queue_size == 0:
                raise params.refuse("queue size cannot be zero")
        elif kind == "capwap_proxy":
            raise Refused(f"CAPWAP proxy mode is not active at port {port.index}!")
        return {}

    def _do_get_rx_queue_pkts(self, params: Fields) -> Any:
        self._port(params)
        return {"pkts": []}

    def _do_capture(self, params: Fields) -> Any:
        return self.captures.run(params, self.now_s)

    def _do_start_capture_port(self, params: Fields) -> Any:
        return {}

    def _do_set_l2(self, params: Fields) -> Any:
        port, mac = self._port(params), params.text("dst_mac")
        if mac.count(":") != 5:
            raise params.refuse(f"'invalid MAC address: '{mac}'")
        ether = {"dst": mac, "src": port.hw_mac, "state": "configured"}
        port.attributes["layer_cfg"] = {"ether": ether, "ipv4": {"state": "none"}, "ipv6": {"enabled": False}}
        return {}

    def _do_set_l3(self, params: Fields) -> Any:
        port, src, dst = self._port(params), params.text("src_addr"), params.text("dst_addr")
        resolved = params.text("resolved_mac", "")
        if src.count(".") != 3:
            raise params.refuse(f"invalid source IPv4 address: '{src}'")
        ether = {"dst": resolved or port.peer_mac, "src": port.hw_mac}
        ether["state"] = "configured" if resolved else "unconfigured"
        network = {"dst": dst, "src": src, "state": "resolved" if resolved else "unresolved"}
        port.attributes["layer_cfg"] = {"ether": ether, "ipv4": network, "ipv6": {"enabled": False}}
        return {}

    def _do_set_vlan(self, params: Fields) -> Any:
        port, tags = self._port(params), params.listed("vlan")
        if len(tags) > 2:
            raise params.refuse(f"Maximal number of stacked VLANs is 2, got: {len(tags)}")
        for tag in tags:
            if not 0 < tag < 4096:
                raise params.refuse(f"invalid VLAN tag: '{tag}'")
        port.attributes["vlan"] = {"tags": tags}
        return {}

    def _do_conf_ipv6(self, params: Fields) -> Any:
        self._port(params), params.truth("enabled"), params.text("src_ipv6")
        return {}

    def _do_conf_ns_batch(self, params: Fields) -> Any:
        self._port(params), params.text("batch")
        return {}

    # ---- packets

    def _do_push_pkts(self, params: Fields) -> Any:
        self._port(params)
        pushed = params.listed("pkts")
        for place, one in enumerate(pushed, 1):
            if not isinstance(one, dict):
                raise params.refuse(f"error at offset: 0 - 'array element: {place} ' is 'string', expecting 'object'")
            packet = Fields(one)
            packet.truth("use_port_dst_mac"), packet.truth("use_port_src_mac")
            packet_of(packet.text("binary"))
        return {"sent": len(pushed), "ts": self.now_s}

    def _do_push_remote(self, params: Fields) -> Any:
        """OK for any file; an event reports that it cannot be read."""
        port, file = self._port(params), params.text("pcap_filename")
        for name in ("ipg_usec", "min_ipg_usec", "speedup", "duration"):
            params.real(name)
        params.whole("count"), params.truth("is_dual"), params.text("slave_handler")
        self._tell(_PORT_STARTED, {"port_id": port.index})
        if file in self.files:
            port.playing_until_s = self.now_s + _PCAP_S
        else:
            port.failing_at_s = self.now_s + _OPEN_S
        return {}

    # ---- statistics

    def _do_get_global_stats(self, params: Fields) -> Any:
        return self.statistics.whole()

    def _do_get_port_stats(self, params: Fields) -> Any:
        port, now_s = self._port(params), self.now_s
        if not self.extended:
            return self.statistics.of_port(port, now_s)
        return self.statistics.of_generator(port, now_s) | ({} if self.unstamped else {"ts": now_s})

    def _do_get_port_xstats_names(self, params: Fields) -> Any:
        self._port(params)
        return {"xstats_names": ["rx_good_packets", "tx_good_packets", "rx_good_bytes", "tx_good_bytes"]}

    def _do_get_port_xstats_values(self, params: Fields) -> Any:
        told = self.statistics.of_port(self._port(params), self.now_s)
        return {"xstats_values": [told[name] for name in ("ipackets", "opackets", "ibytes", "obytes")]}

    def _do_get_utilization(self, params: Fields) -> Any:
        names = ("64b", "128b", "256b", "512b", "1024b", "2048b", "4096b", "9kb")
        return {
            "cpu": [{"history": [0] * 20, "ports": [-1, -1]}],
            "mbuf_stats": {"cpu-socket-0": {name: [16380, 16380] for name in names}},
        }

    def _do_get_active_pgids(self, params: Fields) -> Any:
        return {"ids": self.statistics.active()}

    def _do_get_pgid_stats(self, params: Fields) -> Any:
        return self.statistics.of_groups(params.listed("pgids"), self.now_s)
