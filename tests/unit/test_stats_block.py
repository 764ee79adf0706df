"""The statistics block as a reader sees it: blocks made by hand, after docs/statistics.md."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wirespeed.cli.main import main
from wirespeed.cli.stats import change_lines, dump_lines
from wirespeed.errors import ConnectionFault, FileFault, UsageError
from wirespeed.router.stats_block import Reading, StatsBlock
from wirespeed.router.stats_file import StatsFile, default_stats_file

HEADER, ENTRY, PART = 128, 160, 256
WORKERS = 2
Row = tuple[str, int, int, int, int]
ENTRIES: list[Row] = [
    # name, kind, scope, words, offset
    ("/sys/rx", 0, 0, 1, 0),
    ("/interfaces/e0/rx", 0, 1, 2, 0),
    ("/buffer-pools/packets/available", 1, 1, 1, 16),
    ("/err/ip4-input/bad ttl", 0, 0, 1, 64),
]


def block(
    entries: list[Row] = ENTRIES, generation: int = 2, pid: int | None = None, updated: float | None = None
) -> bytes:
    main_at = HEADER + ENTRY * len(entries)
    parts_at = main_at + 64
    updated_ns = int((time.time() if updated is None else updated) * 1e9)
    head = struct.pack("<8sIIII", b"WSSTATS\0", 1, 104, ENTRY, len(entries))
    head += struct.pack("<QQQQQ", generation, os.getpid() if pid is None else pid, 17, updated_ns, 10**9)
    head += struct.pack("<QQQQII", HEADER, main_at, parts_at, PART, WORKERS, 1000)
    directory = b"".join(struct.pack("<144sHHIQ", name.encode(), *rest) for name, *rest in entries)
    words = struct.pack("<QQQ", 5, 300, 4096).ljust(64, b"\0")
    parts = b"".join(struct.pack("<Q56xQ", 10 + w, 2 * w).ljust(PART, b"\0") for w in range(WORKERS))
    return head.ljust(HEADER, b"\0") + directory + words + parts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "router.stats"
    made.write_bytes(block())
    return made


def put(path: Path, content: bytes) -> None:
    """As a router does: a new file in the place of the old."""
    (path.parent / "new").write_bytes(content)
    (path.parent / "new").replace(path)


def test_words_are_found_by_the_directory(path: Path) -> None:
    with StatsBlock(path) as stats:
        readings = stats.read()
        assert list(readings) == [name for name, *_ in ENTRIES]
        assert readings["/sys/rx"] == Reading("/sys/rx", "counter", True, ((10,), (11,)))
        assert readings["/sys/rx"].total == (21,)
        assert readings["/interfaces/e0/rx"].values == ((5, 300),)
        assert readings["/buffer-pools/packets/available"] == Reading(
            "/buffer-pools/packets/available", "gauge", False, ((4096,),)
        )
        assert stats.started_ns == 17


def test_workers_counters_add_up_and_of_their_gauges_the_largest_counts() -> None:
    assert Reading("/sys/rx", "counter", True, ((3,), (7,))).total == (10,)
    assert Reading("/sys/longest-absence-clocks", "gauge", True, ((3,), (7,))).total == (7,)


def test_patterns_are_found_anywhere_in_a_name(path: Path) -> None:
    with StatsBlock(path) as stats:
        assert list(stats.read(["rx$"])) == ["/sys/rx", "/interfaces/e0/rx"]
        assert [entry.name for entry in stats.entries(["^/sys", "bad ttl"])] == ["/sys/rx", "/err/ip4-input/bad ttl"]
        with pytest.raises(UsageError, match="'\\('.* is no regular expression"):
            stats.read(["("])


def test_values_are_read_anew_each_time(path: Path) -> None:
    with StatsBlock(path) as stats:
        stats.read()
        with path.open("r+b") as file:
            file.seek(HEADER + ENTRY * len(ENTRIES) + 64)
            file.write(struct.pack("<Q", 1000))
        assert stats.read(["/sys/rx"])["/sys/rx"].values == ((1000,), (11,))


def test_a_capture_stays_as_it_was(path: Path) -> None:
    with StatsBlock(path) as stats:
        before = stats.capture(["/sys/rx", "bad ttl"])
        with path.open("r+b") as file:
            file.seek(HEADER + ENTRY * len(ENTRIES) + 64)
            file.write(struct.pack("<Q", 1000))
        after = stats.capture(["/sys/rx", "bad ttl"])
        readings = before.readings()
        assert list(readings) == ["/sys/rx", "/err/ip4-input/bad ttl"]
        assert readings["/sys/rx"].values == ((10,), (11,))
        assert readings["/err/ip4-input/bad ttl"].values == ((0,), (2,))
        assert after.readings()["/sys/rx"].values == ((1000,), (11,))
        assert (after.started_ns, after.tsc_hz) == (17, 10**9)
        assert after.at_s >= before.at_s


def test_a_capture_by_the_same_patterns_follows_the_directory(path: Path) -> None:
    with StatsBlock(path) as stats:
        assert len(stats.capture(["^/"]).readings()) == len(ENTRIES)
        with path.open("r+b") as file:
            file.write(block(ENTRIES[1:], generation=4))
        assert list(stats.capture(["^/"]).readings()) == [name for name, *_ in ENTRIES[1:]]


def test_a_directory_that_changed_is_read_anew(path: Path) -> None:
    with StatsBlock(path) as stats:
        stats.read()
        fewer = block(ENTRIES[1:], generation=4)
        with path.open("r+b") as file:
            file.write(fewer)
        assert list(stats.read()) == [name for name, *_ in ENTRIES[1:]]


def test_a_directory_that_is_being_written_is_waited_for(path: Path) -> None:
    path.write_bytes(block(generation=3))
    finish = f"""
import time
time.sleep(0.1)
with open({str(path)!r}, "r+b") as file:
    file.seek(24)
    file.write((4).to_bytes(8, "little"))
"""
    with StatsBlock(path) as stats, subprocess.Popen([sys.executable, "-c", finish]):
        assert "/sys/rx" in stats.read()


def test_a_router_that_started_anew_is_noticed(path: Path) -> None:
    with StatsBlock(path) as stats:
        assert "/sys/rx" in stats.read()
        put(path, block([("/sys/tx", 0, 0, 1, 64)]))
        assert stats.read()["/sys/tx"].values == ((0,), (2,))


def test_a_router_that_is_not_there_or_ended_is_an_error(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ConnectionFault, match="no router writes .*nope.stats .No such file"):
        StatsBlock(tmp_path / "nope.stats").read()
    put(path, block(updated=0))
    with StatsBlock(path) as stats, pytest.raises(ConnectionFault, match="has ended"):
        stats.entries()
        stats.read()
    child = subprocess.Popen(["true"])
    child.wait()
    put(path, block(pid=child.pid, updated=time.time() - 60))
    with StatsBlock(path) as stats, pytest.raises(ConnectionFault, match=f"process {child.pid}. has ended"):
        stats.entries()
        stats.read()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it has 0 bytes"),
        (bytes(4096), "is no statistics block"),
        (block()[:8] + struct.pack("<I", 2) + block()[12:], "has layout 2, and this program reads layout 1"),
    ],
)
def test_another_file_is_refused(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(FileFault, match=message):
        StatsBlock(path).read()


# ---- The command


def test_dump_prints_sums_or_each_worker(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with StatsBlock(path) as stats:
        readings = stats.read()
    assert list(dump_lines(readings, workers=False, nonzero=False)) == [
        "21 /sys/rx",
        "5 packets, 300 bytes /interfaces/e0/rx",
        "4096 /buffer-pools/packets/available",
        "2 /err/ip4-input/bad ttl",
    ]
    assert list(dump_lines(readings, workers=True, nonzero=True))[-1] == "[1] 2 /err/ip4-input/bad ttl"
    assert main(["stats", "ls", "--file", str(path), "^/sys"]) == 0
    assert capsys.readouterr().out == "/sys/rx\n"
    assert main(["stats", "dump", "--file", str(path), "bad"]) == 0
    assert capsys.readouterr().out == "2 /err/ip4-input/bad ttl\n"
    assert main(["stats", "poll", "--file", str(path), "-n", "1", "-i", "0.01"]) == 0
    assert main(["stats", "dump", "--file", str(path.parent / "nope")]) == 4
    assert main(["stats", "poll", "--file", str(path), "-i", "0"]) == 2


def test_poll_prints_what_changed() -> None:
    def readings(*values: int) -> dict[str, Reading]:
        names = ("rx", "new", "gone", "same")
        found = {n: Reading(n, "counter", True, ((v,),)) for n, v in zip(names, values, strict=False)}
        found["free"] = Reading("free", "gauge", False, ((100 - values[0],),))
        return found

    lines = list(
        change_lines({k: v for k, v in readings(10, 0, 50, 7).items() if k != "new"}, readings(30, 4, 5, 7), 2)
    )
    # What began anew counts from 0.
    assert lines == ["30 +20 10.0/s rx", "4 +4 2.0/s new", "5 +5 2.5/s gone", "70 -20 free"]


# ---- Where the file lies


def test_a_file_on_a_disk_lies_in_shared_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirespeed.router.stats_file._is_in_memory", lambda _: False)
    path = default_stats_file(tmp_path / "router.sock")
    with StatsFile(path) as file:
        file.made.write_bytes(block())
        file.publish()
        assert path.readlink() == file.made
        assert file.made.is_relative_to("/dev/shm")
        # A router that was killed left that; the next one takes it away.
        with StatsFile(path) as second:
            second.made.write_bytes(block())
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
        file.made.write_bytes(block())
        assert path.read_text() == "old"
        file.publish()
        assert path.read_bytes()[:8] == b"WSSTATS\0"
    assert list(tmp_path.iterdir()) == []
    with StatsFile(path) as file:
        pass
    assert list(tmp_path.iterdir()) == []
