"""Reading of statistics segments: hand-made ones in VPP's layout."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segment_bytes import BASE, Row, Segment, alive, put

from wirespeed.cli.main import main
from wirespeed.cli.stats import change_lines, dump_lines
from wirespeed.errors import ConnectionFault, FileFault, UsageError, WirespeedError
from wirespeed.router.protocol import default_stats_socket
from wirespeed.router.stats_file import StatsFile, default_stats_file
from wirespeed.statseg.layout import Type
from wirespeed.statseg.reading import StatsReading
from wirespeed.statseg.segment import StatsSegment

RX = [[(0, 0), (5, 300)], [(1, 60), (0, 0)], [(2, 120), (7, 420)]]
ROWS: list[Row] = [
    ("/if/rx", Type.COMBINED, RX),
    ("/if/names", Type.NAMES, ["e0", None, "e1"]),
    ("/interfaces/e1/rx", Type.SYMLINK, (0, 1)),
    ("/buffer-pools/default-numa-0/available", Type.GAUGE, 4096),
    ("/node/errors", Type.SIMPLE, [[0, 0], [3, 4], [0, 9]]),
    ("/err/ip4-input/bad ttl", Type.SYMLINK, (4, 1)),
    ("", Type.EMPTY, 7),
    ("/sys/vector-sizes", Type.HISTOGRAM, [[0, 0, 0], [0, 2, 1], [0, 0, 5]]),
    ("/sys/heartbeat", Type.SCALAR, 12),
]
NAMES = [name for name, *_ in ROWS if name]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "router.stats"
    made.write_bytes(bytes(Segment(ROWS)))
    return made


def overwrite(path: Path, at: int, content: bytes) -> None:
    """In place, like a router that keeps running."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def test_words_are_found_by_the_directory(path: Path) -> None:
    with StatsSegment(path) as stats:
        readings = stats.read()
        assert list(readings) == NAMES
        assert readings["/if/rx"].rows == tuple(tuple(row) for row in RX)
        assert readings["/if/rx"].columns == ((3, 180), (12, 720))
        assert readings["/if/names"].texts == ("e0", "", "e1")
        assert readings["/interfaces/e1/rx"].values == ((5, 300), (0, 0), (7, 420))
        assert readings["/interfaces/e1/rx"].total == (12, 720)
        assert readings["/buffer-pools/default-numa-0/available"] == StatsReading(
            "/buffer-pools/default-numa-0/available", Type.GAUGE, (((4096,),),)
        )
        assert readings["/err/ip4-input/bad ttl"].total == (13,)
        assert readings["/sys/vector-sizes"].rows[1] == ((0,), (2,), (1,))


def test_of_the_longest_absence_the_threads_largest_counts() -> None:
    rows = (((3,),), ((7,),))
    assert StatsReading("/sys/rx", Type.SIMPLE, rows).total == (10,)
    assert StatsReading("/sys/longest-absence-clocks", Type.SIMPLE, rows).total == (7,)


def test_a_row_that_is_not_there_yet_is_empty(path: Path) -> None:
    segment = bytearray(bytes(Segment(ROWS)))
    threads = int.from_bytes(segment[Segment(ROWS).at["/node/errors"] + 8 :][:8], "little") - BASE
    segment[threads : threads + 8] = bytes(8)
    path.write_bytes(segment)
    with StatsSegment(path) as stats:
        assert stats.read(["^/node/errors$"])["/node/errors"].rows == ((), ((3,), (4,)), ((0,), (9,)))


def test_patterns_are_found_anywhere_in_a_name(path: Path) -> None:
    with StatsSegment(path) as stats:
        assert list(stats.read(["rx$"])) == ["/if/rx", "/interfaces/e1/rx"]
        assert stats.names(["^/sys", "bad ttl"]) == ["/err/ip4-input/bad ttl", "/sys/vector-sizes", "/sys/heartbeat"]
        with pytest.raises(UsageError, match="'\\('.* is not a regular expression"):
            stats.read(["("])


def test_values_are_read_anew_each_time_and_a_capture_stays_as_it_was(path: Path) -> None:
    with StatsSegment(path) as stats:
        before = stats.capture(["heartbeat", "bad ttl"])
        overwrite(path, Segment(ROWS).at["/sys/heartbeat"] + 8, pack("<Q", 1000))
        after = stats.capture(["heartbeat", "bad ttl"])
        readings = before.readings()
        assert list(readings) == ["/err/ip4-input/bad ttl", "/sys/heartbeat"]
        assert readings["/sys/heartbeat"].total == (12,)
        assert after.readings()["/sys/heartbeat"].total == (1000,)
        assert after.at_s >= before.at_s


def test_our_router_tells_when_it_started_and_how_its_clocks_tick(path: Path) -> None:
    put(path, Segment(ROWS + alive()))
    with StatsSegment(path) as stats:
        capture = stats.capture()
        assert (capture.started_ns, capture.tsc_hz, stats.started_ns) == (17, 10**9, 17)
    put(path, Segment([*ROWS, ("/sys/boottime", Type.SCALAR, 1_700_000_000)]))
    with StatsSegment(path) as vpp:
        capture = vpp.capture()
        assert (capture.started_ns, capture.tsc_hz) == (1_700_000_000 * 10**9, 0)


def test_a_directory_that_changed_is_read_anew(path: Path) -> None:
    with StatsSegment(path) as stats:
        assert len(stats.capture(["^/"]).readings()) == len(NAMES)
        overwrite(path, 0, bytes(Segment(ROWS[:-1], epoch=3)))
        assert list(stats.capture(["^/"]).readings()) == NAMES[:-1]


def test_a_change_is_waited_for(path: Path) -> None:
    path.write_bytes(bytes(Segment(ROWS, in_progress=1)))
    finish = f"""
import time
time.sleep(0.1)
with open({str(path)!r}, "r+b") as file:
    file.seek(16)
    file.write((3).to_bytes(8, "little") + bytes(8))
"""
    with StatsSegment(path) as stats, subprocess.Popen([sys.executable, "-c", finish]):
        assert stats.read(["^/sys/heartbeat$"])["/sys/heartbeat"].total == (12,)


def test_a_change_that_does_not_end_is_an_error(path: Path) -> None:
    path.write_bytes(bytes(Segment(ROWS, in_progress=1)))
    with StatsSegment(path) as stats, pytest.raises(ConnectionFault, match="changes faster than it can be read"):
        stats.read()


def test_a_router_that_started_anew_is_noticed(path: Path) -> None:
    with StatsSegment(path) as stats:
        assert "/if/rx" in stats.read()
        put(path, Segment([("/sys/loops", Type.SIMPLE, [[0], [2]])]))
        assert stats.read()["/sys/loops"].values == ((0,), (2,))


def test_a_router_that_is_not_there_or_ended_is_an_error(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ConnectionFault, match="no router writes .*nope.stats .No such file"):
        StatsSegment(tmp_path / "nope.stats").read()
    put(path, Segment(alive(updated_s=0)))
    with StatsSegment(path) as stats, pytest.raises(ConnectionFault, match="has ended"):
        stats.read()
    child = subprocess.Popen(["true"])
    child.wait()
    put(path, Segment(alive(child.pid, time.time() - 60)))
    with StatsSegment(path) as stats, pytest.raises(ConnectionFault, match=f"process {child.pid}. has ended"):
        stats.read()


# ---- What is not a segment, or a damaged one


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it has 0 bytes"),
        (bytes(4096), "is not a statistics segment"),
        (bytes(Segment(ROWS, version=1)), "has layout 1, and this program reads layout 2"),
        (b"x" * 4096, "has layout"),
        (bytes(Segment(ROWS))[:-200], "ends outside|lies outside"),
        (pack("<5Q", 2, BASE, 1, 0, BASE + (1 << 40)), "lies outside"),
        (pack("<5Q", 2, BASE, 1, 0, BASE - 8), "lies outside"),
        (bytes(Segment([("/x", Type.SIMPLE, BASE + 3)])), "lies outside"),
        (bytes(Segment([("/x", Type.SYMLINK, (9, 0))])), "leads to entry 9"),
        (bytes(Segment([("/x", Type.SYMLINK, (0, 0))])), "leads to entry 0"),
        (bytes(Segment([("/v", Type.SIMPLE, [[1]]), ("/x", Type.SYMLINK, (0, 1))])), "leads to element 1"),
        (bytes(Segment([("/x", Type.SIMPLE, [[1]] * 2000)])), "2000 threads"),
        (bytes(Segment([("/x", Type.NAMES, ["n" * 2000])])), "name of 2001 bytes"),
    ],
)
def test_another_file_is_refused(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(FileFault, match=message):
        StatsSegment(path).read()


def test_entries_that_all_lead_to_one_large_vector_are_refused(path: Path) -> None:
    segment = Segment([("/large", Type.SIMPLE, [[0] * 100_000])])
    value = int.from_bytes(bytes(segment)[segment.at["/large"] + 8 :][:8], "little")
    rows: list[Row] = [("/large", Type.SIMPLE, [[0] * 100_000])]
    path.write_bytes(bytes(Segment(rows + [(f"/{i}", Type.SIMPLE, value) for i in range(200)])))
    with pytest.raises(FileFault, match="more than"):
        StatsSegment(path).read()


WHOLE = bytes(Segment(ROWS + alive()))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(16, len(WHOLE) - 8), st.integers(0, (1 << 64) - 1)), max_size=6), st.booleans())
def test_whatever_the_words_are_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, words: list[tuple[int, int]], near: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.stats"
    content = bytearray(WHOLE)
    for at, word in words:
        content[at // 8 * 8 : at // 8 * 8 + 8] = pack("<Q", BASE + word % len(WHOLE) if near else word)
    content[24:32] = bytes(8)  # no change is going on: that would only be waited for
    path.write_bytes(content)
    with StatsSegment(path) as stats, contextlib.suppress(WirespeedError):
        stats.read()


# ---- From a socket


@contextlib.contextmanager
def handing_out(path: Path, *files: Path) -> Iterator[None]:
    """Like VPP, once per client."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen(1)

        def serve() -> None:
            client, _ = listener.accept()
            with client, contextlib.ExitStack() as opened:
                descriptors = [opened.enter_context(file.open("rb")).fileno() for file in files]
                rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))] if descriptors else []
                client.sendmsg([b""], rights)

        server = threading.Thread(target=serve)
        server.start()
        yield
        server.join()
    path.unlink()


def test_a_socket_hands_out_a_descriptor(path: Path, tmp_path: Path) -> None:
    with handing_out(tmp_path / "stats.sock", path), StatsSegment(tmp_path / "stats.sock") as stats:
        assert stats.read(["heartbeat"])["/sys/heartbeat"].total == (12,)
        # It is asked once.
        assert stats.read(["heartbeat"])["/sys/heartbeat"].total == (12,)


def test_a_socket_that_hands_out_none_is_refused(tmp_path: Path) -> None:
    with handing_out(tmp_path / "stats.sock"), pytest.raises(FileFault, match="sends no file descriptor"):
        StatsSegment(tmp_path / "stats.sock").read()
    with pytest.raises(FileFault, match="neither a regular file nor a socket"):
        StatsSegment(tmp_path).read()


# ---- The command


def test_dump_prints_sums_or_each_thread(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with StatsSegment(path) as stats:
        readings = stats.read()
    assert list(dump_lines(readings, threads=False, nonzero=True)) == [
        "[0] 3 packets, 180 bytes /if/rx",
        "[1] 12 packets, 720 bytes /if/rx",
        "[0] e0 /if/names",
        "[2] e1 /if/names",
        "12 packets, 720 bytes /interfaces/e1/rx",
        "4096 /buffer-pools/default-numa-0/available",
        "[0] 3 /node/errors",
        "[1] 13 /node/errors",
        "13 /err/ip4-input/bad ttl",
        "[<= 1] 2 /sys/vector-sizes",
        "[<= 2] 6 /sys/vector-sizes",
        "12 /sys/heartbeat",
    ]
    assert "[0 @ 2] 9 /err/ip4-input/bad ttl" in dump_lines(readings, threads=True, nonzero=True)
    assert main(["ctl", "stats", "ls", "--file", str(path), "^/if"]) == 0
    assert capsys.readouterr().out == "/if/rx\n/if/names\n"
    assert main(["ctl", "stats", "dump", "--file", str(path), "bad"]) == 0
    assert capsys.readouterr().out == "13 /err/ip4-input/bad ttl\n"
    assert main(["ctl", "stats", "poll", "--file", str(path), "-n", "1", "-i", "0.01"]) == 0
    assert main(["ctl", "stats", "dump", "--file", str(path.parent / "nope")]) == 4
    assert main(["ctl", "stats", "poll", "--file", str(path), "-i", "0"]) == 2


def test_poll_prints_what_changed() -> None:
    def readings(*values: int) -> dict[str, StatsReading]:
        names = ("rx", "new", "gone", "same")
        found = {n: StatsReading(n, Type.SIMPLE, (((v,),),)) for n, v in zip(names, values, strict=False)}
        found["free"] = StatsReading("free", Type.GAUGE, (((100 - values[0],),),))
        found["all"] = StatsReading("all", Type.COMBINED, (((1, 60), (values[0], 60)),))
        return found

    lines = list(
        change_lines({k: v for k, v in readings(10, 0, 50, 7).items() if k != "new"}, readings(30, 4, 5, 7), 2)
    )
    # Counters that restarted at 0 count from 0.
    assert lines == [
        "30 +20 10.0/s rx",
        "4 +4 2.0/s new",
        "5 +5 2.5/s gone",
        "70 -20 free",
        "[1] 30 +20 10.0/s all",
    ]


def test_a_socket_lies_beside_the_control_socket() -> None:
    assert default_stats_socket(Path("/run/x/router.sock")) == Path("/run/x/stats.sock")
    assert default_stats_socket(Path("/run/x/dut.sock")) == Path("/run/x/dut-stats.sock")


# ---- Where the file lies


def test_a_file_on_a_disk_lies_in_shared_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirespeed.router.stats_file._is_in_memory", lambda _: False)
    path = default_stats_file(tmp_path / "router.sock")
    with StatsFile(path) as file:
        file.made.write_bytes(bytes(Segment(ROWS)))
        file.publish()
        assert path.readlink() == file.made
        assert file.made.is_relative_to("/dev/shm")
        # The file of a killed router; the next one deletes it.
        with StatsFile(path) as second:
            second.made.write_bytes(bytes(Segment(ROWS)))
            second.publish()
            assert not file.made.parent.exists()
            assert path.exists()
        assert not path.exists() and not second.made.parent.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_memory_is_put_in_place_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirespeed.router.stats_file._is_in_memory", lambda _: True)
    path = tmp_path / "router.stats"
    path.write_text("old")
    with StatsFile(path) as file:
        file.made.write_bytes(bytes(Segment(ROWS)))
        assert path.read_text() == "old"
        file.publish()
        assert path.read_bytes() == bytes(Segment(ROWS))
    assert list(tmp_path.iterdir()) == []
    with StatsFile(path) as file:
        pass
    assert list(tmp_path.iterdir()) == []
