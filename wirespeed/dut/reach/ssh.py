"""A machine over SSH, by asyncssh on a thread of its own.

Keys, agent, ~/.ssh/config and known_hosts are the user's; nothing asks for a password, nor takes one.
"""

from __future__ import annotations

import asyncio
import io
import os
import shlex
import tarfile
import threading
from collections.abc import Coroutine
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import Any, TypeVar

import asyncssh

from wirespeed.dut.reach.reach import PATIENCE_S, Ran, no_root, timed_out, wrapped
from wirespeed.errors import ConnectionFault, FileFault

T = TypeVar("T")

_CONNECT_S = 15.0
_KEEPALIVE_S, _KEEPALIVES = 15, 20
"""A DUT at line rate may be silent for minutes and live."""


class SshReach:
    """`user@host:port`; connected at the first command, and again at the next command after a lost connection."""

    def __init__(self, host: str, user: str = "", port: int = 0, key: str = "", is_ours: bool = False) -> None:
        """`key` is a file with a private key to use in place of the user's. The port of a machine that `is_ours` is of
        this process: a host key says nothing more."""
        self.name = (
            f"ssh://{f'{user}@' if user else ''}{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"
        )
        self._host, self._user, self._port = host, user, port
        self._key, self._is_ours = key, is_ours
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connection: asyncssh.SSHClientConnection | None = None
        self._become: str | None = None
        """The words that make a command one of root's, once they are known."""

    def run(self, command: str, *, stdin: str = "", timeout_s: float = PATIENCE_S) -> Ran:
        connection = self._connected()
        if self._become is None:
            self._become = self._wait(self._root(connection), 2 * PATIENCE_S, "id -u")
        return self._wait(self._ran(connection, wrapped(command, self._become), stdin), timeout_s, command)

    def forward(self, remote: str, local: Path) -> None:
        """Until `close`, who connects to the Unix socket `local`, which is made, is at the one called `remote` there.
        As the user who logged in, not as root."""
        self._wait(_forwarded(self._connected(), remote, local), PATIENCE_S, f"a way to {remote}")

    def fetch(self, remote: str, into: Path) -> None:
        """Content of a folder on the device. FileFault if it cannot be read."""
        packed = self._wait(_packed(self._connected(), remote), PATIENCE_S, f"a copy of {remote}")
        if packed is None:
            raise FileFault(f"{self.name}: folder {remote} cannot be read there")
        unpack(packed, into)

    def _connected(self) -> asyncssh.SSHClientConnection:
        if self._connection is None or self._connection.is_closed():
            self._connection = self._wait(self._connect(), 2 * _CONNECT_S, "a connection")
            self._become = None
        return self._connection

    def close(self) -> None:
        if self._loop is None:
            return
        loop, self._loop = self._loop, None
        asyncio.run_coroutine_threadsafe(_ended(self._connection), loop).result(_CONNECT_S)
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        loop.close()
        self._connection = None

    def _wait(self, work: Coroutine[Any, Any, T], timeout_s: float, command: str) -> T:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="ssh", daemon=True)
            self._thread.start()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout_s)
        except FutureTimeout:
            future.cancel()
            raise timed_out(self.name, command, timeout_s) from None
        except (asyncssh.Error, OSError) as error:
            raise ConnectionFault(f"{self.name} went away during `{command[:60]}`: {_reason(error)}") from None

    async def _connect(self) -> asyncssh.SSHClientConnection:
        options: dict[str, Any] = {"username": self._user} if self._user else {}
        options |= {"port": self._port} if self._port else {}
        options |= {"client_keys": [self._key]} if self._key else {}
        options |= {"known_hosts": None} if self._is_ours else {}
        try:
            return await asyncssh.connect(
                self._host,
                **options,
                preferred_auth="publickey",
                connect_timeout=_CONNECT_S,
                login_timeout=_CONNECT_S,
                keepalive_interval=_KEEPALIVE_S,
                keepalive_count_max=_KEEPALIVES,
            )
        except asyncssh.HostKeyNotVerifiable as error:
            raise ConnectionFault(
                f"{self.name}: its host key is not in known_hosts, or differs from it ({_reason(error)}); "
                "connect once with ssh and check the key"
            ) from None
        except asyncssh.PermissionDenied:
            raise ConnectionFault(
                f"{self.name} accepts none of your keys: put one into its authorized_keys (ssh-copy-id), "
                "or load it into ssh-agent"
            ) from None
        except (TimeoutError, asyncssh.Error, OSError) as error:
            raise ConnectionFault(f"{self.name} cannot be reached: {_reason(error)}") from None

    async def _root(self, connection: asyncssh.SSHClientConnection) -> str:
        """The words that run a command as root."""
        who = await self._ran(connection, wrapped("id -u"), "")
        if who.out.strip() == "0":
            return ""
        first = who
        for become in ("sudo -n", "doas -n"):
            tried = await self._ran(connection, wrapped("true", become), "")
            if tried.code == 0:
                return become
            first = first if first is not who else tried
        raise no_root(self.name, self._user or "your user", first.why)

    async def _ran(self, connection: asyncssh.SSHClientConnection, line: str, stdin: str) -> Ran:
        given: dict[str, Any] = {"input": stdin} if stdin else {"stdin": asyncssh.DEVNULL}
        done = await connection.run(line, **given, check=False, errors="replace")
        code = done.exit_status if done.exit_status is not None else -1
        if code < 0 and done.exit_signal is None:
            raise ConnectionFault(f"{self.name} went away before its command ended")
        return Ran(code, _text(done.stdout), _text(done.stderr))


async def _forwarded(connection: asyncssh.SSHClientConnection, remote: str, local: Path) -> None:
    await connection.forward_local_path(str(local), remote)


def unpack(packed: bytes, into: Path) -> None:
    """The folders and plain files of a tar archive from a machine that may lie; links are left out. FileFault if a name
    leaves `into`. By hand, since Python 3.11 of Debian 12 has no `tarfile.data_filter`."""
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            place = into / member.name
            if not place.resolve().is_relative_to(into.resolve()):
                raise FileFault(f"the archive names {member.name!r}, which is outside of its folder")
            if member.isdir():
                place.mkdir(parents=True, exist_ok=True)
            elif content := archive.extractfile(member) if member.isreg() else None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())


async def _packed(connection: asyncssh.SSHClientConnection, remote: str) -> bytes | None:
    # Not by SFTP, which is a subsystem that a DUT may not have.
    done = await connection.run(f"tar -C {shlex.quote(remote)} -cf - .", encoding=None, stdin=asyncssh.DEVNULL)
    return done.stdout if done.exit_status == 0 and isinstance(done.stdout, bytes) else None


async def _ended(connection: asyncssh.SSHClientConnection | None) -> None:
    # Whoever waited for these was interrupted.
    begun = asyncio.all_tasks() - {asyncio.current_task()}
    for task in begun:
        task.cancel()
    await asyncio.gather(*begun, return_exceptions=True)
    if connection is not None:
        connection.abort()
        await connection.wait_closed()
    await asyncio.sleep(0)  # the transport lets go of its socket one turn later


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


def _text(said: str | bytes | None) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said or ""


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer in {_CONNECT_S:g} s"
    number = getattr(error, "errno", None)  # asyncio's own words name the call, not the cause
    if isinstance(number, int) and number > 0:
        return os.strerror(number)
    said = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error) or type(error).__name__
    return " ".join(str(said).split())
