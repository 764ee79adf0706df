"""An SSH server that replays a recorded console: it returns the recorded answers and records all other commands."""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncssh

from wirespeed.dut.plan import Action
from wirespeed.dut.reach.console_log import console_texts, plain
from wirespeed.dut.reach.questions import answer_of, asking, questions_of
from wirespeed.dut.reach.reach import wrapped


class PlayedDevice:
    """`texts` are the answers by command; `change` may replace them once a command has changed the device. `done` are
    the changes, `unexpected` the commands without a recorded answer.
    """

    def __init__(self, record: str, fails: tuple[str, ...] = ()) -> None:
        self.texts = console_texts(record)
        self.fails = fails
        self.done: list[Action] = []
        self.unexpected: list[str] = []
        self.is_change: Callable[[str], bool] = lambda command: False
        self.port = 0

    def answer(self, line: str, stdin: str) -> tuple[int, str, str]:
        command = shlex.split(line)[-1].removeprefix(shlex.split(wrapped(""))[-1])
        questions = questions_of(command)
        if questions and command == asking(questions):
            return 0, "".join(answer_of(question, self._text(question)) for question in questions), ""
        if any(command.startswith(one) for one in self.fails):
            self.done.append(Action(command, stdin))
            return 1, "", "it was told to fail\n"
        if self.is_change(command):
            self.done.append(Action(command, stdin))
            return 0, "", ""
        text = self._text(command)
        return (127, "", "not found\n") if text is None else (0, text, "")

    def _text(self, command: str) -> str | None:
        text = self.texts.get(plain(command))
        if text is None:
            self.unexpected.append(command)
        return text


@contextmanager
def played(device: PlayedDevice, home: Path) -> Iterator[str]:
    """Serve it on this machine; returns its address. `home` gets the key and the known host."""
    ssh = home / ".ssh"
    ssh.mkdir(parents=True, exist_ok=True)
    host_key, user_key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    user_key.write_private_key(str(ssh / "id_ed25519"))
    (ssh / "id_ed25519").chmod(0o600)
    public = user_key.export_public_key().decode()
    loop = asyncio.new_event_loop()

    async def handle(process: asyncssh.SSHServerProcess[str]) -> None:
        stdin = await process.stdin.read()
        code, out, err = device.answer(process.command or "", stdin)
        process.stdout.write(out)
        process.stderr.write(err)
        process.exit(code)

    async def serve() -> asyncssh.SSHAcceptor:
        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[host_key],
            authorized_client_keys=asyncssh.import_authorized_keys(public),
            process_factory=handle,
        )

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(serve(), loop).result(30)
    port = server.get_port()
    (ssh / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key.export_public_key().decode()}")
    try:
        yield f"ssh://root@127.0.0.1:{port}"
    finally:

        async def end() -> None:
            server.close()
            await server.wait_closed()
            await asyncio.sleep(0.05)

        asyncio.run_coroutine_threadsafe(end(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
