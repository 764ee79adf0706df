"""A campaign's folder: the results of its cells, what runs now, and a journal of every try.

results/STEM.json       the result of a cell that is done, if it is that of the cell (`kept.fault_of`)
results/STEM.json.refused-DIGEST   a file that had the name of a result and was not that of the cell
running/                what a running cell writes; what a kill left there is taken up again or begun anew
tries.jsonl             a line a try: key, status, seconds, exit code, error, of a result its SHA-256
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from wirespeed.campaign.cells import CampaignCell
from wirespeed.campaign.kept import digest_of, fault_of
from wirespeed.campaign.outcome import DONE, FAILED, LOST, CellOutcome
from wirespeed.errors import FileFault
from wirespeed.files import sync_directory
from wirespeed.owned import is_running

_LOCK_WAIT_S = 90.0
"""The last cell of a campaign that was killed takes its lab down first, and holds the folder until then."""


@dataclass(frozen=True)
class Try:
    """A line of the journal; `sha256` is the digest of the result, empty where none was kept."""

    key: str
    outcome: CellOutcome
    sha256: str = ""


class CampaignLedger:
    """The folder at `directory`, this process's alone. FileFault when it cannot be written, and when another campaign
    runs in it."""

    def __init__(self, directory: Path, say: Callable[[str], None]) -> None:
        self.directory, self._say = directory, say
        self.results, self.running = directory / "results", directory / "running"
        try:
            for path in (self.results, self.running):
                path.mkdir(parents=True, exist_ok=True)
            self._lock = (directory / "lock").open("a")
            self._journal: IO[str] = (directory / "tries.jsonl").open("a", encoding="utf-8")
        except OSError as error:
            raise FileFault(f"campaign folder {directory} cannot be written: {error.strerror}; give --out") from None
        try:
            self._take()
        except BaseException:
            self._journal.close()
            self._lock.close()
            raise
        self.tries = tries_in(directory)
        self._end_torn_line()

    def _take(self) -> None:
        deadline_s, is_said = time.monotonic() + _LOCK_WAIT_S, False
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if _other_runs(self.directory / "pid"):
                    raise FileFault(f"another campaign runs in {self.directory}; give another --out") from None
                if time.monotonic() > deadline_s:
                    raise FileFault(
                        f"a test case of an earlier run is still ending in {self.directory}; try again later"
                    ) from None
                if not is_said:
                    self._say("the last test case of an earlier run takes its lab down; waiting for it")
                    is_said = True
                time.sleep(0.2)
            else:
                (self.directory / "pid").write_text(str(os.getpid()))
                return

    @property
    def lock_descriptor(self) -> int:
        """For the processes of cells, which hold the folder until they have ended."""
        return self._lock.fileno()

    def _end_torn_line(self) -> None:
        path = self.directory / "tries.jsonl"
        if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            self._journal.write("\n")

    def result(self, cell: CampaignCell) -> Path:
        return self.results / f"{cell.stem}.json"

    def is_done(self, cell: CampaignCell) -> bool:
        """True if the cell's result is stored, or complete where a killed campaign left it. Another file with the name
        of the result is renamed and reported."""
        if self.result(cell).exists() and (fault := self.fault(cell)):
            self._put_aside(self.result(cell), fault)
        if not self.result(cell).exists() and not fault_of(self.running / f"{cell.stem}.json", cell):
            self.keep(cell)
        return self.result(cell).exists()

    def fault(self, cell: CampaignCell) -> str:
        """The reason why the file with the name of the cell's result is not that result; empty if it is."""
        return fault_of(self.result(cell), cell, kept_digests(self.tries).get(cell.key, ""))

    def _put_aside(self, file: Path, fault: str) -> None:
        # A folder or a pipe has no content to be called by.
        mark = hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else str(file.stat().st_ino)
        aside = file.with_name(f"{file.name}.refused-{mark}")
        file.rename(aside)
        self._say(f"{fault}: it is put aside as {aside.name}")

    def keep(self, cell: CampaignCell) -> None:
        """Put the result of a cell that ended well in its place."""
        (self.running / f"{cell.stem}.json").replace(self.result(cell))
        sync_directory(self.results)
        for left in self.running.glob(f"{cell.stem}.*"):
            left.unlink(missing_ok=True)

    def note(self, cell: CampaignCell, outcome: CellOutcome) -> None:
        """Write a try down."""
        sha256 = digest_of(self.result(cell)) if outcome.status == DONE else ""
        self.tries.append(Try(cell.key, outcome, sha256))
        document = {"key": cell.key, "test_case": cell.title, "ended": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"}
        self._journal.write(json.dumps(document | outcome.to_json() | ({"sha256": sha256} if sha256 else {})) + "\n")
        self._journal.flush()

    def failures(self, cell: CampaignCell) -> Counter[str]:
        """Numbers of its failures, by error text."""
        return Counter(one.outcome.error for one in self.tries if one.key == cell.key and one.outcome.status == FAILED)

    def last_error(self, cell: CampaignCell) -> CellOutcome | None:
        found = [one.outcome for one in self.tries if one.key == cell.key and one.outcome.status in (FAILED, LOST)]
        return found[-1] if found else None

    def seconds(self, keys: set[str]) -> list[float]:
        """Durations of the completed cells among `keys`."""
        return [one.outcome.seconds for one in self.tries if one.key in keys and one.outcome.status == "done"]

    def forget_failures(self) -> None:
        """Each failed cell has all its tries again."""
        self.tries = [one for one in self.tries if one.outcome.status != FAILED]

    def close(self) -> None:
        self._journal.close()
        (self.directory / "pid").unlink(missing_ok=True)
        self._lock.close()


def _other_runs(pid_file: Path) -> bool:
    try:
        return is_running(int(pid_file.read_text()))
    except (OSError, ValueError):
        return False


def kept_digests(tries: Sequence[Try]) -> dict[str, str]:
    """The digest of each cell's newest result, by the key of the cell."""
    return {one.key: one.sha256 for one in tries if one.sha256}


def tries_in(directory: Path) -> list[Try]:
    """The journal of a campaign's folder, which may be none; a line that was not written to its end is left out."""
    path, tries = directory / "tries.jsonl", []
    if not path.exists():
        return []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            document: dict[str, Any] = json.loads(line)
            outcome = {name: document[name] for name in ("status", "seconds", "error", "exit_code")}
            tries.append(Try(str(document["key"]), CellOutcome.from_json(outcome), str(document.get("sha256", ""))))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return tries
