"""Atomic writing: all or nothing, and never replacing anything but a file."""

import errno
import os
import resource
import stat
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from wirespeed.campaign.file import read_campaign
from wirespeed.errors import FileFault
from wirespeed.files import open_regular, write_atomically
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.inspection import read_inspection
from wirespeed.results.journal import read_journal
from wirespeed.router.startup.syntax import StartupBlock, read_file


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "report.html"
    write_atomically(path, "one", "report")
    path.chmod(0o600)
    write_atomically(path, "two µ", "report")
    assert path.read_text(encoding="utf-8") == "two µ"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_usual_mode(tmp_path):
    path = tmp_path / "report.html"
    write_atomically(path, "one", "report")
    (tmp_path / "plain").write_text("")
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_text_that_cannot_be_written_leaves_the_old_file(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800", "report")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", "text", "report")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "text"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, "text", "report")
    reader.join()
    assert got == ["text"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["missing/report.html", ".", "plain/report.html", "n" * 300])
def test_where_nothing_can_be_written_one_line_says_so(name, tmp_path):
    (tmp_path / "plain").write_text("")
    with pytest.raises(FileFault, match=r"^report .* cannot be written: ") as raised:
        write_atomically(tmp_path / name, "text", "report")
    assert "\n" not in str(raised.value)


READERS = [partial(read_as, Result), read_journal, lambda path: read_file(path, StartupBlock({}))]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("first", "size_bytes", "said"), [(b"", 1 << 30, "is not text"), (b" " * 4096, 1 << 30, "MB")])
def test_a_file_is_looked_at_before_it_is_read(
    tmp_path: Path, read: Callable[[Path], object], first: bytes, size_bytes: int, said: str
) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(first)
    os.truncate(path, size_bytes)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FileFault, match=said):
        read(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # kB


@pytest.mark.parametrize("read", READERS)
def test_a_folder_is_called_so(tmp_path: Path, read: Callable[[Path], object]) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileFault, match="folder is a directory; name a file in it"):
        read(tmp_path / "folder")


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_file_is_called_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    for read in (partial(read_as, Result), read_inspection):
        with pytest.raises(FileFault, match="x.json is empty$"):
            read(tmp_path / "x.json")
    with pytest.raises(FileFault, match="x.json is empty: it has no campaign"):
        read_campaign(tmp_path / "x.json")


def test_a_file_of_somebody_else_says_that_permission_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")  # root, who runs these tests, may read everything

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileFault, match="result file x cannot be read: this user lacks the permission"):
        open_regular(Path("x"), "result file")


@pytest.mark.parametrize("read", READERS)
def test_a_pipe_is_not_waited_for(tmp_path: Path, read: Callable[[Path], object]) -> None:
    os.mkfifo(tmp_path / "x.json")
    with pytest.raises(FileFault, match="not a regular file"):
        read(tmp_path / "x.json")
