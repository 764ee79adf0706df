"""Readings and tables from answers of a T-Rex 3.08."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.console.flow_views import (
    floor_note,
    flow_table,
    histogram_table,
    latency_table,
    packet_summary,
    packet_type,
)
from wirespeed.console.happenings import read_event
from wirespeed.console.port_views import ServerFacts, drop_bps, global_table, port_table, status_table
from wirespeed.console.readings import flow_readings, port_reading
from wirespeed.console.server_views import cpu_table, memory_table
from wirespeed.console.tables import RULE, ConsoleRow, ConsoleTable, facts, render, render_compact

PORT_STATS = [
    {
        "opackets": 22930, "ipackets": 22500, "obytes": 1467520, "ibytes": 1440000, "oerrors": 0, "ierrors": 0,
        "m_total_tx_pps": 6718.44677734375, "m_total_tx_bps": 3439844.5,
        "m_total_rx_pps": 6614.07763671875, "m_total_rx_bps": 3386407.75, "m_cpu_util": 1.4499844312667847,
    },
    {
        "opackets": 22500, "ipackets": 22930, "obytes": 1440000, "ibytes": 1467520, "oerrors": 0, "ierrors": 3,
        "m_total_tx_pps": 6614.07763671875, "m_total_tx_bps": 3386407.75,
        "m_total_rx_pps": 6718.44677734375, "m_total_rx_bps": 3439844.5, "m_cpu_util": 1.4499844312667847,
    },
]  # fmt: skip

STATUS: dict[str, Any] = {
    "owner": "root", "state": "TX", "service": False, "service_filtered": False,
    "attr": {
        "fc": {"mode": -1}, "link": {"up": True}, "multicast": {"enabled": False}, "promiscuous": {"enabled": True},
        "rx_filter_mode": "hw", "speed": 100.0, "vlan": {"tags": []}, "vxlan_fs": [],
        "layer_cfg": {
            "ether": {"dst": "02:00:00:00:00:02", "src": "02:00:00:00:00:01", "state": "configured"},
            "ipv4": {"state": "none"}, "ipv6": {"enabled": False},
        },
    },
    "rx_info": {"queue": {"is_active": False}, "grat_arp": {"is_active": False}},
}  # fmt: skip

PG_STATS = {
    "flow_stats": {
        "7": {"rb": {"0": 0, "1": 139712}, "rbs": {"0": 0.0, "1": 515027.44}, "rp": {"0": 0, "1": 2183},
              "rps": {"0": 0.0, "1": 1005.91}, "tb": {"0": 140096, "1": 0}, "tbs": {"0": 511805.66, "1": 0.0},
              "tp": {"0": 2189, "1": 0}, "tps": {"0": 999.62, "1": 0.0}},
        "8": {"rb": {"0": 0, "1": 640000}, "rbs": {"0": 0.0, "1": 0.0}, "rp": {"0": 0, "1": 5000},
              "rps": {"0": 0.0, "1": 0.0}, "tb": {"0": 640000, "1": 0}, "tbs": {"0": 0.0, "1": 0.0},
              "tp": {"0": 5000, "1": 0}, "tps": {"0": 0.0, "1": 0.0}},
    },
    "latency": {
        "8": {"lat": {"average": 6661.0, "histogram": {"100": 1, "1000": 123, "50": 1, "20000": 43},
                      "jit": 702, "last_max": 12033, "total_max": 24067, "total_min": 53},
              "er": {"drp": 4, "ooo": 1}},
        "g": None,
    },
    "ver_id": {"7": 0, "8": 1},
}  # fmt: skip


def test_port_statistics_as_trex_shows_them() -> None:
    readings = [port_reading(port, stats, STATUS) for port, stats in enumerate(PORT_STATS)]
    assert (
        render(port_table(readings)).plain
        == """\
Port Statistics

   port    |        0        |        1        |      total
-----------+-----------------+-----------------+----------------
owner      |            root |            root |                
link       |              UP |              UP |                
state      |    TRANSMITTING |    TRANSMITTING |                
speed      |        100 Gb/s |        100 Gb/s |                
CPU util.  |           1.45% |           1.45% |                
-----------+-----------------+-----------------+----------------
Tx bps L2  |       3.44 Mbps |       3.39 Mbps |       6.83 Mbps
Tx bps L1  |       4.51 Mbps |       4.44 Mbps |       8.96 Mbps
Tx pps     |       6.72 kpps |       6.61 kpps |      13.33 kpps
Line Util. |          0.00 % |          0.00 % |                
-----------+-----------------+-----------------+----------------
Rx bps     |       3.39 Mbps |       3.44 Mbps |       6.83 Mbps
Rx pps     |       6.61 kpps |       6.72 kpps |      13.33 kpps
-----------+-----------------+-----------------+----------------
opackets   |           22930 |           22500 |           45430
ipackets   |           22500 |           22930 |           45430
obytes     |         1467520 |         1440000 |         2907520
ibytes     |         1440000 |         1467520 |         2907520
tx-pkts    |     22.93 kpkts |     22.50 kpkts |     45.43 kpkts
rx-pkts    |     22.50 kpkts |     22.93 kpkts |     45.43 kpkts
tx-bytes   |         1.47 MB |         1.44 MB |         2.91 MB
rx-bytes   |         1.44 MB |         1.47 MB |         2.91 MB
-----------+-----------------+-----------------+----------------
oerrors    |               0 |               0 |               0
ierrors    |               0 |               3 |               3"""
    )


def test_errors_stand_out_where_they_are() -> None:
    readings = [port_reading(port, stats, STATUS) for port, stats in enumerate(PORT_STATS)]
    [row] = [row for row in port_table(readings).rows if row.name == "ierrors"]
    assert [bool(row.style_of(place)) for place in range(3)] == [False, True, True]


def test_a_port_whose_link_is_down_and_speed_unknown() -> None:
    down = {"state": "DOWN", "attr": {"link": {"up": False}, "speed": 0}}
    table = {row.name: row.cells for row in port_table([port_reading(0, PORT_STATS[0], down)]).rows}
    assert (table["link"], table["state"], table["speed"], table["Line Util."]) == (
        ("DOWN",), ("DOWN",), ("unknown",), ("N/A",),
    )  # fmt: skip


def test_global_statistics() -> None:
    stats = {"m_cpu_util": 1.6473, "m_rx_cpu_util": 0.06, "m_rx_core_pps": 13332.5, "m_tx_cps": 0.0}
    stats |= {"m_tx_bps": 6826252.0, "m_tx_pps": 13332.5, "m_rx_bps": 6826252.0, "m_total_queue_full": 0}
    text = global_table(ServerFacts("127.0.0.1:4501", "STL @ v3.08", 1, 1), stats).plain
    assert (
        text
        == """\
Global Statistics

connection   : 127.0.0.1, Port 4501                total_tx_L2  : 6.83 Mbps
version      : STL @ v3.08                         total_tx_L1  : 8.96 Mbps
cpu_util.    : 1.65% @ 1 cores (1 per dual port)   total_rx     : 6.83 Mbps
rx_cpu_util. : 0.06% / 13.33 kpps                  total_pps    : 13.33 kpps
total_cps.   : 0 cps                               drop_rate    : 0 bps
                                                   queue_full   : 0 pkts"""
    )


def test_the_drop_rate_of_the_fitlet2_article() -> None:
    """756.08 Mbps are sent, 660.49 come back: 95.59 are lost."""
    assert drop_bps({"m_tx_bps": 756.08e6, "m_rx_bps": 660.49e6}) == pytest.approx(95.59e6)
    assert drop_bps({"m_tx_bps": 1000.0, "m_rx_bps": 999.5}) == 0


def test_port_status_of_all_modes() -> None:
    port = {"index": 0, "driver": "net_memif", "description": "", "pci_addr": "N/A", "numa": -1}
    layer3 = STATUS | {
        "attr": STATUS["attr"]
        | {
            "vlan": {"tags": [10, 20]},
            "layer_cfg": {
                "ether": {"dst": "02:00:00:00:00:09", "src": "02:00:00:00:00:01"},
                "ipv4": {"state": "resolved", "src": "1.1.1.1", "dst": "1.1.1.2"},
                "ipv6": {"enabled": True, "src": ""},
            },
        }
    }
    table = {row.name: row.cells for row in status_table([port, port | {"index": 1}], [STATUS, layer3]).rows}
    assert table["layer mode"] == ("Ethernet", "IPv4")
    assert table["Destination"] == ("02:00:00:00:00:02", "1.1.1.2")
    assert table["ARP Resolution"] == ("-", "02:00:00:00:00:09")
    assert table["VLAN"] == ("-", "10, 20")
    assert table["IPv6"] == ("off", "auto")
    assert table["flow ctrl"] == ("N/A", "N/A")
    assert table["RX Filter Mode"] == ("hardware match", "hardware match")


def test_flow_statistics() -> None:
    table = {row.name: row.cells for row in flow_table(flow_readings(PG_STATS)).rows}
    assert table["Tx pps"] == ("999.62 pps", "0 pps")
    assert table["Tx bps L1"][0] == "671.74 kbps"
    assert table["ipackets"] == ("2183", "5000")


def test_the_floor_of_the_medium_stands_below_the_latency() -> None:
    floors = {"0": {"min_us": 1.204, "median_us": 1.5, "p99_us": 3.0}}
    said = "\nof it the medium's own, from port 0: at least 1.20 µs, median 1.50, 99 % 3.00"
    assert floor_note(floors) == said
    assert floor_note({}) == ""


def test_latency_and_its_errors() -> None:
    flows = flow_readings(PG_STATS)
    table = {row.name: row.cells for row in latency_table(flows).rows}
    assert latency_table(flows).columns == ("PG ID", "8")
    assert (table["Min latency"], table["Max latency"], table["Avg latency"]) == (("53",), ("24067",), ("6661",))
    assert (table["Last max"], table["Jitter"], table["Errors"]) == (("12033",), ("702",), ("5",))
    names = [row.name for row in histogram_table(flows).rows if row is not RULE]
    assert names == [
        "20000", "1000", "100", "50", "dropped", "dup", "out_of_order", "seq_too_high", "seq_too_low",
    ]  # fmt: skip


def test_clear_subtracts_counts_while_the_group_is_the_same() -> None:
    [seven, eight] = flow_readings(PG_STATS, PG_STATS)
    assert (seven.tx_packets, seven.tx_pps, eight.rx_packets) == (0, 999.62, 0)
    assert eight.latency is not None
    assert (eight.latency.histogram, sum(eight.latency.errors.values())) == ((), 0)
    [seven, _] = flow_readings(PG_STATS | {"ver_id": {"7": 5, "8": 1}}, PG_STATS)
    assert seven.tx_packets == 2189


def test_nothing_measured() -> None:
    assert flow_readings({"flow_stats": None, "latency": {"g": None}, "ver_id": None}) == []


def test_load_of_the_cores() -> None:
    lines = render(cpu_table({"cpu": [{"history": [0, 4, 2] + 17 * [0], "ports": [0, 1]}]})).plain.splitlines()
    assert lines[2].split(" | ")[:4] == ["Thread ", "Avg", "Latest", "-1 "]
    assert [cell.strip() for cell in lines[4].split("|")][:5] == ["0 (0,1)", "0", "0", "4", "2"]
    assert lines[2].rstrip().endswith("-15")


def test_packet_buffers() -> None:
    pools = {"64b": [81892, 81900], "2048b": [36855, 36855], "9kb": [2048, 2048]}
    table = memory_table({"mbuf_stats": {"cpu-socket-0": pools}})
    assert table.columns == ("", "64b", "2048b", "9kb")
    assert {row.name: row.cells[0] for row in table.rows if row is not RULE} == {
        "Total:": "81900", "Socket 0:": "8", "Percent:": "0%",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "data", "text"),
    [
        (5, {"port_id": 0, "who": "root", "session_id": 1, "force": False}, "Port 0 was taken by you"),
        (5, {"port_id": 1, "who": "eve", "session_id": 2, "force": True}, "Port 1 was forcely taken by 'eve'"),
        (6, {"port_id": 0, "who": "root", "session_id": 1}, "Port 0 was released by you"),
        (10, {"port_id": 0, "profile_id": "_"}, "Profile 0._ has started"),
        (0, {"port_id": 0}, "Port 0 has started"),
        (14, {"port_id": 0, "profile_id": "_"}, "Profile 0._ has finished"),
        (4, {"port_id": 0}, "Port 0 job done"),
        (8, {"port_id": 0, "attr": {"link": {"up": False}}}, "Port 0 attributes changed: link down"),
        (100, {"cause": "ended by SIGTERM"}, "Server stopped: ended by SIGTERM"),
        (99, {}, "event 99: {}"),
    ],
)
def test_events(kind: int, data: dict[str, Any], text: str) -> None:
    happening = read_event({"name": "trex-event", "type": kind, "seq": 0, "data": data}, session_id=1, at=0.0)
    assert happening.text == text


def test_a_port_that_somebody_took_is_lost() -> None:
    stolen = {"type": 5, "data": {"port_id": 1, "who": "eve", "session_id": 2, "force": True}}
    happening = read_event(stolen, session_id=1, at=0.0)
    assert (happening.port, happening.taken, happening.loud) == (1, "by another", True)


def test_packets_that_cannot_be_dissected_have_a_text_all_the_same() -> None:
    assert packet_type(b"") == "Ethernet" or "bytes" in packet_type(b"")
    assert packet_type(bytes(12) + b"\x08\x00" + b"\x45") != ""
    assert packet_summary(bytes(14)) != ""


def test_tables_pad_rows_and_columns() -> None:
    table = ConsoleTable(
        "T", ("a", "b", "c"), (ConsoleRow("name", ("1",)), RULE, ConsoleRow("n", ("22", "333"))), least=3
    )
    assert render(table).plain.splitlines() == [
        "T", "", " a   |  b  |  c", "-----+-----+----", "name |   1 |    ", "-----+-----+----", "n    |  22 | 333",
    ]  # fmt: skip
    assert render_compact(table).plain.splitlines() == ["a       b    c", "name    1     ", "n      22  333"]


def test_facts_may_be_longer_on_one_side() -> None:
    assert facts("F", [("a", "1"), ("b", "2")], [("cc", "3")]).plain == "F\n\na  : 1   cc : 3\nb  : 2"
