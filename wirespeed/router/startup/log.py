"""Log of a running router: on its terminal, and in the file of `unix { log … }`."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TextIO


class Log:
    """Lines for people. A file that cannot be opened is named on standard error, and the router goes on without it."""

    def __init__(self, path: Path | None) -> None:
        self._file: TextIO | None = None
        if path is not None:
            try:
                self._file = path.open("a")
            except OSError as error:
                self.warn(f"log {path} cannot be written: {error.strerror}; messages go to the terminal only")

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            if error is not None:
                self._write(f"{error}")
            self._file.close()

    def say(self, line: str) -> None:
        print(line, flush=True)
        self._write(line)

    def warn(self, line: str) -> None:
        print(f"wirespeed: {line}", file=sys.stderr, flush=True)
        self._write(line)

    def _write(self, line: str) -> None:
        if self._file is not None:
            print(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S%z} {line}", file=self._file, flush=True)
