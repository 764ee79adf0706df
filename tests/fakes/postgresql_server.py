"""A PostgreSQL server for tests: a process with a UNIX socket only, deleted with its folder."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from harness.waiting import wait_for

_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


def missing() -> str | None:
    """The reason why there is no PostgreSQL, if so."""
    if not _PROGRAMS:
        return "Debian's postgresql is missing (tools/setup.sh test)"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "runuser is missing, and PostgreSQL refuses to run as root"
    return None


class PostgresqlServer:
    """A context manager. `url` names a database of it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wirespeed-pg-", dir="/tmp"))  # a socket's path is short
        self._user = "postgres" if os.geteuid() == 0 else getpass.getuser()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PostgresqlServer:
        if os.geteuid() == 0:
            owner = pwd.getpwnam(self._user)
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        words = ["postgres", "-D", str(self.folder / "data"), "-k", str(self.folder), "-c", "listen_addresses="]
        words += ["-c", "fsync=off", "-c", "max_connections=40"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(self._words(*words), stdout=quiet, stderr=quiet, start_new_session=True)
        asked = self._words("pg_isready", "-h", str(self.folder))
        wait_for(lambda: not subprocess.run(asked, capture_output=True, check=False).returncode, "PostgreSQL is ready")

    def stop(self) -> None:
        """Cut all connections, like a machine that fails."""
        if self._process is None:
            return
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGINT)
        self._process.wait(30)
        self._process = None

    def create(self, name: str) -> None:
        self._run("createdb", "-h", str(self.folder), "-U", "postgres", name)

    def url(self, name: str, files: Path) -> str:
        return f"postgresql://postgres@/{name}?host={self.folder}&files={files}"

    def _run(self, *words: str) -> None:
        subprocess.run(self._words(*words), check=True, capture_output=True, cwd="/")

    def _words(self, program: str, *words: str) -> list[str]:
        before = ["runuser", "-u", self._user, "--"] if os.geteuid() == 0 else []
        return [*before, str(_PROGRAMS[-1] / program), *words]
