"""The console's commands with wirespeed's RPC server on the fake core."""

from __future__ import annotations

import pytest
from console_server import ConsoleServer, Driver

from wirespeed.console.shell import prompt_of


def rows(text: str) -> dict[str, list[str]]:
    """Cells of a table by the name of their row."""
    listed = (line.split(" | ") for line in text.splitlines() if " | " in line)
    return {name.strip(): [cell.strip() for cell in cells] for name, *cells in listed}


def test_a_session_as_the_articles_have_it(server: ConsoleServer, console: Driver) -> None:
    out = console("start -f stl/bench.py -m 10kpps -p 0 -t size=64,vm=var2")
    assert "Starting traffic on port(s) [0._]:" in out
    assert out.count("[SUCCESS]") == 3
    server.advance(20)
    table = rows(console("stats"))
    assert table["state"] == ["TRANSMITTING", "IDLE", ""]
    assert table["Tx pps"] == ["10.00 kpps", "0 pps", "10.00 kpps"]
    assert table["Tx bps L1"] == ["6.72 Mbps", "0 bps", "6.72 Mbps"]
    assert table["Rx pps"][1] == "10.00 kpps"
    assert table["opackets"] == ["200000", "0", "200000"]
    assert table["Line Util."][0] == "0.07 %"
    console("update -m 20kpps")
    server.advance(20)
    assert rows(console("stats -p"))["Tx pps"][0] == "20.00 kpps"
    console("update -m 5kpps+")
    server.advance(20)
    assert rows(console("stats -p"))["Tx pps"][0] == "25.00 kpps"
    console("pause")
    assert rows(console("stats -p"))["state"][0] == "PAUSE"
    console("resume")
    assert "Stopping traffic on port(s) [0._]:" in console("stop")
    assert "nothing is sent" in console.refused("stop")


def test_statistics_have_the_rows_of_trex_in_its_order(console: Driver) -> None:
    names = list(rows(console("stats -p")))
    assert names[:5] == ["port", "owner", "link", "state", "speed"]
    wanted = (
        "CPU util., Tx bps L2, Tx bps L1, Tx pps, Line Util., Rx bps, Rx pps, opackets, ipackets, obytes, ibytes, "
        "tx-pkts, rx-pkts, tx-bytes, rx-bytes, oerrors, ierrors"
    )
    assert names[5:22] == wanted.split(", ")
    assert names[22:] == ["intended", "refused", "late", "missed"]


def test_a_total_is_split_between_the_ports(server: ConsoleServer, console: Driver) -> None:
    console("start -f bench -m 10kpps --total")
    server.advance(20)
    assert rows(console("stats -p"))["Tx pps"] == ["5.00 kpps", "5.00 kpps", "10.00 kpps"]


def test_directions_are_those_of_the_ports(server: ConsoleServer, console: Driver) -> None:
    console("start -f bench -m 1kpps")
    packets = [call[2][0].packet for call in server.core.calls if call[0] == "start"]  # type: ignore[index]
    assert [packet[26] for packet in packets] == [16, 48]


def test_a_run_with_a_duration_ends(server: ConsoleServer, console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0 -d 3")
    assert "pause is supported" in console.refused("pause")
    server.advance(4)
    table = rows(console("stats -p"))
    assert (table["state"][0], table["opackets"][0]) == ("IDLE", "3000")


def test_running_traffic_is_not_replaced_without_force(console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0")
    assert "traffic runs on [0._]; `stop` first" in console.refused("start -f imix -m 1kpps -p 0")
    assert "Stopping traffic on port(s) [0._]:" in console("start -f imix -m 1kpps -p 0 --force")


def test_service_mode_stands_in_the_way_of_a_start(console: Driver) -> None:
    console("service -p 0")
    assert prompt_of(console.session) == "wirespeed(service)> "
    assert "service mode" in console.refused("start -f bench -p 0")
    console("start -f bench -p 0 --force")
    console("service --off")
    assert prompt_of(console.session) == "wirespeed> "


def test_more_than_the_line_is_the_servers_to_refuse(console: Driver) -> None:
    said = console.refused("start -f bench -m 101% -p 0")
    assert said.startswith("port 0: Expected L1 B/W")
    assert "[FAILED]" in console.out


def test_a_dry_start_sends_nothing(server: ConsoleServer, console: Driver) -> None:
    out = console("start -f stl/imix.py -m 10kpps -p 0 --dry")
    assert "port 0._: 48 pps" in out and "endless" in out
    assert not any(call[0] == "start" for call in server.core.calls)


@pytest.mark.parametrize("line", ["start -f nope", "start -f bench -t speed=1", "start -f bench -t vm=none -p 7"])
def test_what_cannot_be_started_leaves_the_streams_alone(console: Driver, line: str) -> None:
    console("start -f bench -m 1kpps -p 0")
    console.refused(line)
    assert rows(console("stats -p"))["state"][0] == "TRANSMITTING"


def test_streams_are_listed_by_port_and_number(console: Driver) -> None:
    console("start -f stl/imix.py -m 10kpps -p 0")
    table = rows(console("streams"))
    assert table["2"] == ["-", "_", "Ethernet:IP:UDP:Raw", "594", "Continuous", "16 pps", "-", "-"]
    assert "no stream on port 1" in console.out
    assert list(rows(console("streams -p 0 -i 3"))) == ["ID", "3"]
    assert "no such stream on port 0" in console("streams -p 0 -i 9")


def test_streams_change_each_by_itself(server: ConsoleServer, console: Driver) -> None:
    console("start -f stl/imix.py -m 48kpps -p 0")
    console("pause -i 1 2")
    server.advance(20)
    assert rows(console("stats -p"))["Tx pps"][0] == "4.00 kpps"
    console("resume -i 2")
    console("update -m 1kpps -i 3")
    server.advance(20)
    assert rows(console("stats -p"))["Tx pps"][0] == "17.00 kpps"
    assert "stream 9 does not exist" in console.refused("pause -i 9")


def test_several_profiles_on_a_port(console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0.web")
    assert rows(console("profiles"))["0.web"] == ["TX", "1"]
    assert "stl/imix.py" in console.out
    assert "[0.web]" in console("stop")


def test_clear_counts_from_0_for_this_console_alone(server: ConsoleServer, console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0")
    server.advance(2)
    console("clear")
    server.advance(1)
    assert rows(console("stats -p"))["opackets"] == ["1000", "0", "1000"]
    assert rows(console("stats -x"))["tx_good_packets"] == ["1000", "0"]
    other = Driver(server.address)
    assert rows(other("stats -p"))["opackets"][0] == "3000"
    other.close()


def test_a_second_console_reads_while_the_first_owns(server: ConsoleServer, console: Driver) -> None:
    other = Driver(server.address, user="guest")
    assert prompt_of(other.session) == "wirespeed(read-only)> "
    assert "port 0, 1: port is already taken by" in other.refused("acquire")
    assert "no port is acquired" in other.refused("start -f bench")
    assert "port 0 is not acquired" in other.refused("stop -p 0")
    assert rows(other("stats -p"))["link"] == ["UP", "UP", ""]
    other("acquire -p 1 --force")
    assert prompt_of(other.session) == "wirespeed(1)> "
    assert "port 1: port is not owned by you" in console.refused("start -f bench -m 1kpps")
    assert prompt_of(console.session) == "wirespeed(0)> "
    other.close()


def test_release_warns_of_what_goes_on(console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0")
    assert "traffic still runs on port(s) [0]" in console("release")
    console("acquire")
    console("stop")


def test_reset_stops_and_empties(console: Driver) -> None:
    console("start -f bench -m 1kpps")
    console("reset")
    assert rows(console("stats -p"))["state"] == ["IDLE", "IDLE", ""]
    assert "no stream on port 0, 1" in console("streams")


def test_attributes(server: ConsoleServer, console: Driver) -> None:
    table = rows(console("portattr"))
    assert table["driver"] == ["net_memif", "net_memif"]
    assert table["src MAC"][1] == "02:00:00:00:00:02"
    console("portattr -p 0 --prom on --link down")
    assert ("set_link", 0, False) in server.core.calls
    assert rows(console("portattr"))["link status"] == ["DOWN", "UP"]
    assert "not supported for this NIC" in console.refused("portattr --led on")
    assert "--prom" in console("portattr --supp")


def test_the_server_and_its_machine(console: Driver) -> None:
    out = console("stats -g -c -m")
    assert "connection   : 127.0.0.1, Port " in out
    assert "Cpu Util(%)" in out and "Mbuf Util" in out
    assert "answers in" in console("ping")


def test_what_is_not_measured_is_said(console: Driver) -> None:
    assert "nothing is counted" in console("stats -s")
    assert "nothing is measured" in console("stats -l")


def test_ports_are_checked(console: Driver) -> None:
    assert "port 7 does not exist; " in console.refused("stop -p 7")
    assert "ports 0, 1" in console.errors[-1]
    assert "one port" in console.refused("l2 -p 0,1 --dst 02:00:00:00:00:01")


def test_layer_2_and_a_service_that_needs_an_address(console: Driver) -> None:
    console("l2 -p 0 --dst 02:fe:00:00:00:07")
    assert rows(console("portattr"))["Destination"][0] == "02:fe:00:00:00:07"
    assert "must be under service mode" in console.refused("ping -p 0 -d 1.1.1.2")
    assert "no IPv4 address" in console.refused("arp -p 0")


@pytest.mark.parametrize("columns", [40, 80])
def test_help_keeps_within_the_terminal(console: Driver, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for text in (console("help"), console("help start").partition("\n\n-")[0]):
        listing = [line for line in text.splitlines() if line.startswith("  ")]
        assert listing and max(map(len, listing)) <= columns


def test_help_history_and_events(console: Driver) -> None:
    out = console("help")
    assert all(word in out for word in ("Console Commands:", "Stateless Commands:", "start", "capture record stop"))
    assert "--force" in console("help start")
    assert "1  acquire" in console("history")
    assert console("events") == "nothing has happened yet"


def test_ports_are_taken_on_demand_where_no_user_does_it(server: ConsoleServer) -> None:
    script = Driver(server.address, on_demand=True)
    script("stats")
    assert script.session.owned == ()
    script("start -f bench -m 1kpps -p 1")
    assert script.session.owned == (1,)
    script.close()
    other = Driver(server.address, on_demand=True)
    assert "[1._]" in other("stop")
    other.close()


def test_a_generator_that_dies_is_one_line_and_connect_brings_it_back() -> None:
    with ConsoleServer() as first:
        console = Driver(first.address, on_demand=True)
        console("acquire")
        port = first.port
    assert "stopped answering" in console.refused("stats")
    assert prompt_of(console.session) == "wirespeed(offline)> "
    assert "`connect` tries again" in console.refused("stats")
    assert "Console Commands" in console("help")
    assert "no generator answers" in console.refused("connect")
    with ConsoleServer(port):
        console("connect")
        assert rows(console("stats"))["link"] == ["UP", "UP", ""]
        console.close()


def test_a_generator_that_was_started_anew_is_noticed() -> None:
    with ConsoleServer() as first:
        console = Driver(first.address)
        console("acquire")
        port = first.port
    with ConsoleServer(port):
        console.refused("stats")
        assert "was restarted" in console.refused("stats")
        console("connect")
        assert console.session.owned == (0, 1)
        console.close()


def test_disconnect_gives_the_ports_back(server: ConsoleServer, console: Driver) -> None:
    console("disconnect")
    assert [port.owner for port in server.server.ports] == [None, None]
    assert "not connected" in console.refused("disconnect")
    console("connect")
