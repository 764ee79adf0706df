"""The live view, controlled by keys, with wirespeed's RPC server on the fake core."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from console_server import ConsoleServer, RecordingScreen
from test_console_views import PG_STATS
from textual.pilot import Pilot
from textual.widgets import ContentSwitcher, RichLog, Static

from wirespeed.console.readings import PortReading, StreamReading, flow_readings
from wirespeed.console.session import Session
from wirespeed.console.tui.app import ConsoleApp
from wirespeed.console.tui.command_line import CommandLine
from wirespeed.console.tui.live import Live, Minute, MissingRates, missing, sparkline
from wirespeed.console.tui.panes import latency, minute, ports, streams

DEADLINE_S = 30.0

Scene = Callable[[Pilot[None], "View"], Awaitable[None]]


class View:
    """The screen as text."""

    def __init__(self, app: ConsoleApp) -> None:
        self.app = app

    def text(self, name: str) -> str:
        return str(self.app.query_one(f"#{name}", Static).render())

    @property
    def output(self) -> str:
        return "\n".join(strip.text for strip in self.app.query_one("#output", RichLog).lines)

    @property
    def pane(self) -> str | None:
        return self.app.query_one("#panes", ContentSwitcher).current

    @property
    def line(self) -> CommandLine:
        return self.app.query_one(CommandLine)


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not holds():
            await pilot.pause(0.02)


async def enter(pilot: Pilot[None], view: View, line: str) -> None:
    view.line.value = line
    await pilot.press("enter")


@pytest.fixture
def session(server: ConsoleServer) -> Iterator[Session]:
    one = Session(server.address, RecordingScreen())
    one.connect()
    one.client.take(one.ports)
    yield one
    one.leave()


def play(session: Session, scene: Scene, size: tuple[int, int] = (80, 24), locked: bool = False) -> ConsoleApp:
    async def run() -> ConsoleApp:
        app = ConsoleApp(session, locked)
        async with app.run_test(size=size) as pilot:
            await scene(pilot, View(app))
        return app

    return asyncio.run(run())


def test_a_start_is_seen_a_second_later(server: ConsoleServer, session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await enter(pilot, view, "start -f stl/bench.py -m 1.48mpps -p 0 -t size=64,vm=var2")
        await until(pilot, lambda: "[SUCCESS]" in view.text("said"))
        server.advance(20)
        await until(pilot, lambda: "1.48 Mpps" in view.text("table"))
        assert "TRANSMITTING" in view.text("table")
        assert "994.56 Mbps" in view.text("table")  # layer 1, as in the articles
        assert "9.95 %" in view.text("table")
        assert "0.1     Ethernet:IP:UDP:Raw" in view.text("streams-text")
        assert "█" in view.text("minute")
        assert view.pane == "streams"

    play(session, scene)


def test_an_error_is_one_red_line_above_the_prompt(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await enter(pilot, view, "strat")
        await until(pilot, lambda: "did you mean" in view.text("said"))
        await enter(pilot, view, "tui")
        await until(pilot, lambda: "this is the tui" in view.text("said"))

    play(session, scene)


def test_a_locked_view_has_keys_and_no_line(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await pilot.press("l")
        assert view.pane == "latency"
        await pilot.press("escape", "ctrl+c", "s")
        assert view.pane == "streams"
        assert not view.app.query_one("#entry").display

    play(session, scene, locked=True)


def test_long_answers_open_the_output_pane(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await enter(pilot, view, "stats -p")
        await until(pilot, lambda: view.pane == "output")
        assert "Port Statistics" in view.output
        await pilot.press("f3")
        assert view.pane == "latency"
        await pilot.press("f2")
        assert view.pane == "streams"

    play(session, scene)


@pytest.mark.parametrize("keys", [["q"], ["escape", "q"], ["ctrl+d"], [*"quit", "enter"]])
def test_ways_to_leave(session: Session, keys: list[str]) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await pilot.press(*keys)
        await until(pilot, lambda: not view.app.is_running)

    assert play(session, scene).return_code == 0


def test_a_q_within_a_line_is_a_letter(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await pilot.press(*"ac", "q")
        assert view.line.value == "acq"
        await pilot.press("tab")
        assert view.line.value == "acquire "
        await pilot.press("ctrl+c")
        assert view.line.value == ""
        assert view.app.is_running

    play(session, scene)


def test_letters_are_keys_once_the_line_is_left(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await pilot.press("escape", "l")
        assert view.pane == "latency"
        await pilot.press("c")
        await until(pilot, lambda: "Clearing stats" in view.text("said"))
        await pilot.press("escape")
        assert view.line.has_focus

    play(session, scene)


def test_lines_come_back_with_the_arrows(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        for line in ("history", "events"):
            await enter(pilot, view, line)
        await until(pilot, lambda: session.history == ["history", "events"])
        await pilot.press("up", "up")
        assert view.line.value == "history"
        await pilot.press("down", "down")
        assert view.line.value == ""

    play(session, scene)


def test_everything_is_on_80_by_24(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        def lines() -> list[str]:
            return [app_line(view.app, row).rstrip() for row in range(24)]

        await until(pilot, lambda: "Clear" in lines()[-1] and any(line.startswith("1 tx") for line in lines()))
        screen = lines()
        assert screen[0].startswith(" wirespeed ")
        assert all(any(line.startswith(name) for line in screen) for name in ("owner", "Tx pps", "Rx pps", "drops"))
        assert screen[-2].startswith("tui> ")
        keys = screen[-1].split()
        assert keys[:4] == ["q", "Quit", "F1", "Help"]
        assert keys[-2:] == ["F5", "Clear"]

    play(session, scene)


@pytest.mark.parametrize("size", [(60, 15), (60, 12), (60, 18), (60, 20), (80, 21), (80, 24)])
def test_a_small_terminal_has_what_tells_most_and_the_line(size: tuple[int, int], session: Session) -> None:
    """Nothing overlaps, and a stream's line is below its headings."""
    height = size[1]

    async def scene(pilot: Pilot[None], view: View) -> None:
        def lines() -> list[str]:
            return [app_line(view.app, row).rstrip() for row in range(height)]

        await until(pilot, lambda: "Quit" in lines()[-1] and any(line.startswith("drops") for line in lines()))
        screen = lines()
        assert screen[0].startswith(" wirespeed ")
        for name in ("state", "Tx pps", "Line Util.", "Rx pps", "drops"):
            row = next(line for line in screen if line.startswith(name))
            assert row.count("pps") == {"Tx pps": 4, "Rx pps": 4, "drops": 3}.get(name, 0)
        assert any(line.split() == ["streams", "latency", "output"] for line in screen)
        assert any("no streams are loaded" in line for line in screen)
        assert screen[-2].startswith("tui> ")
        assert screen[-1].split()[:4] == ["q", "Quit", "F1", "Help"]
        assert any("last minute" in line for line in screen) == (height >= 21)

    play(session, scene, size=size)


def test_a_tall_terminal_has_the_counters_too(session: Session) -> None:
    async def scene(pilot: Pilot[None], view: View) -> None:
        await until(pilot, lambda: "ierrors" in view.text("table"))
        assert "refused" in view.text("table")

    play(session, scene, size=(120, 40))


def app_line(app: ConsoleApp, row: int) -> str:
    return "".join(segment.text for segment in app.screen._compositor.render_strips()[row])


def test_a_generator_that_dies_and_comes_back() -> None:
    first = ConsoleServer()
    first.__enter__()
    session = Session(first.address, RecordingScreen())
    session.connect()
    session.client.take(session.ports)

    async def scene(pilot: Pilot[None], view: View) -> None:
        await until(pilot, lambda: "cpu" in view.text("head"))
        first.close()
        await until(pilot, lambda: "answer" in view.text("head"))
        with ConsoleServer(first.port):
            await until(pilot, lambda: "cpu" in view.text("head"))
            await enter(pilot, view, "stop")
            await until(pilot, lambda: view.text("prompt") == "tui(offline)> ")
            await enter(pilot, view, "connect")
            await until(pilot, lambda: view.text("prompt") == "tui> ")
            session.leave()

    play(session, scene)


def test_readings_and_messages_that_come_while_the_view_closes_are_dropped(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirespeed.console.tui.app.REFRESH_S", 0.0)  # a request is always outstanding

    async def scene(pilot: Pilot[None], view: View) -> None:
        await until(pilot, lambda: "cpu" in view.text("head"))
        view.app.action_run("stats -p")

    for _ in range(5):
        app = play(session, scene)
        app.write("too late")
        app.on_resize()


def reading(port: int, tx_pps: float = 0.0, rx_pps: float = 0.0, **counters: int) -> PortReading:
    return PortReading(
        port, "me", True, "IDLE", 1e10, 0.0, tx_pps, 0.0, rx_pps, 0.0, {"opackets": 0, "ipackets": 0, **counters}
    )


def test_what_is_missing_is_told_apart_by_fault() -> None:
    before = [reading(0, intended=0, late=0), reading(1, intended=0, late=0)]
    after = [reading(0, intended=1000, late=100), reading(1, intended=0, late=0, ipackets=700)]
    assert missing(after, before, 1.0) == (MissingRates(drops_pps=200.0, late_pps=100.0), MissingRates())
    assert missing(after, None, 0.0) == (MissingRates(), MissingRates())


def test_packets_on_the_way_are_not_lost() -> None:
    before = [reading(0, intended=0, late=0), reading(1, intended=0, late=0)]
    after = [reading(0, intended=100_000, late=0), reading(1, intended=0, late=0, ipackets=99_950)]
    assert missing(after, before, 1.0) == (MissingRates(), MissingRates())


def test_a_trex_says_by_its_rates_what_is_missing() -> None:
    assert missing([reading(0, tx_pps=1000), reading(1, rx_pps=900)], None, 0.0)[0] == MissingRates(drops_pps=100.0)


def test_sparklines_begin_at_0_and_keep_the_highest() -> None:
    assert sparkline([0, 1, 50, 100], 60, 100) == "▁▄█".rjust(60)
    assert sparkline([100.0] * 60, 60, 100) == "█" * 60
    assert len(sparkline([1.0] * 60, 22, 1)) == 22
    assert sparkline([0, 100, 0, 0, 0, 0], 20, 100) == "█ ".rjust(20)
    assert sparkline([5.0], 10, 0) == " " * 10


def test_a_minute_is_60_seconds() -> None:
    history = Minute()
    for second in range(100):
        history.add(Live({}, (reading(0, tx_pps=second),), (MissingRates(),)))
    assert list(history.tx_pps[0]) == list(range(40, 100))


def test_losses_stand_in_the_senders_column() -> None:
    live = Live({}, (reading(0), reading(1)), (MissingRates(1e6), MissingRates()))
    [row] = [line for line in ports(live, 80, 24).plain.splitlines() if line.startswith("drops")]
    assert [cell.strip() for cell in row.split("|")[1:]] == ["1.00 Mpps", "0 pps", "1.00 Mpps"]


def test_streams_and_latency_have_a_line_each() -> None:
    packet = bytes(12) + b"\x88\xb5" + bytes(46)
    counted = StreamReading(0, "_", 1, "-", packet, "Continuous", "1 pps", 8, True, -1, 0)
    burst = StreamReading(1, "_", 5, "-", packet, "Burst 100", "10 pps", None, False, -1, 0)
    live = Live({}, (), (), tuple(flow_readings(PG_STATS)), (counted, burst), more_streams=3)
    lines = streams(live).plain.splitlines()
    assert lines[1].split() == ["0.1", "Ethernet:Raw", "64", "1", "pps", "8", "latency", "0", "pps", "0", "pps"]
    assert "Burst 100, 10 pps" in lines[2]
    assert lines[3].startswith("and 3 more")
    assert latency(live).plain.splitlines()[1].split() == [
        "8",
        "5000",
        "5000",
        "53",
        "6661",
        "24067",
        "12033",
        "702",
        "5",
    ]


def test_many_ports_leave_room_for_the_rest() -> None:
    live = Live({}, tuple(reading(port) for port in range(8)), (MissingRates(),) * 8)
    history = Minute()
    history.add(live)
    lines = minute(live, history, 80, 24).plain.splitlines()
    assert len(lines) == 5
    assert lines[0].endswith("4 more ports")
    assert all(len(line) <= 80 for line in lines)
    assert len(minute(live, history, 80, 40).plain.splitlines()) == 9


def test_empty_panes_say_how_to_fill_them() -> None:
    live = Live({}, (), ())
    assert "start -f" in streams(live).plain
    assert "flow=fsl" in latency(live).plain
