"""VPP's client `vppctl` at the control socket. It speaks telnet and says nothing before the router has asked it for its
terminal (RFC 854, 1091, 1073).

A terminal called `vppctl` is a script's: each line is answered by text and a NUL byte, without echo or prompt. Any
other terminal belongs to a person: the router echoes, edits the line and prompts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

_SE, _SB, _WILL, _WONT, _DO, _DONT, _IAC = 240, 250, 251, 252, 253, 254, 255
_ECHO, _SUPPRESS_GO_AHEAD, _TERMINAL_TYPE, _WINDOW_SIZE, _LINE_MODE = 1, 3, 24, 31, 34
_IS, _SEND = 0, 1
GREETING = bytes(
    (
        *(_IAC, _WONT, _LINE_MODE, _IAC, _DONT, _LINE_MODE),
        *(_IAC, _WILL, _SUPPRESS_GO_AHEAD, _IAC, _DO, _SUPPRESS_GO_AHEAD),
        *(_IAC, _WILL, _ECHO, _IAC, _DONT, _ECHO),
        *(_IAC, _DO, _TERMINAL_TYPE, _IAC, _SB, _TERMINAL_TYPE, _SEND, _IAC, _SE),
        *(_IAC, _DO, _WINDOW_SIZE, _IAC, _SB, _WINDOW_SIZE, _SEND, _IAC, _SE),
    )
)
"""The first bytes of the router: characters one by one, echoed here, and the questions for terminal and window."""

PROMPT = "vpp# "
_SCRIPT = "vppctl"
_LEAVE = ("quit", "exit", "q")
_PATIENCE_S = 1.0
"""Time for a client to name its terminal before it is prompted without, as VPP does."""
_GREETED_S = 10.0
"""Time for a client at a TCP port to answer the greeting, which is a matter of its network."""
_PARTED_S = 10.0
"""Time for a client that said `quit` to read the rest and to go."""
_MOST_OPTION_BYTES = 256
_MOST_HISTORY = 50
_ERASE, _KILL_LINE, _KILL_WORD, _INTERRUPT, _END = (0x08, 0x7F), 0x15, 0x17, 0x03, 0x04
_UP, _DOWN = b"[A", b"[B"

Run = Callable[[str], Iterator[dict[str, Any]]]
"""The messages that answer a line, as `wirespeed.router.protocol` has them, pauses among them."""


class Decoder:
    """Takes the commands of telnet out of what a client sends."""

    def __init__(self) -> None:
        self.terminal: str | None = None
        self._begun = b""

    def feed(self, data: bytes) -> bytes:
        """The characters typed. A command that is not complete waits for the rest of it."""
        data, typed, at = self._begun + data, bytearray(), 0
        while at < len(data):
            if data[at] != _IAC:
                typed.append(data[at])
                at += 1
                continue
            length = self._command(data, at)
            if not length:
                break
            at += length
        self._begun = data[at:]
        return bytes(typed)

    def _command(self, data: bytes, at: int) -> int:
        """The length of the command there; 0 while it is not complete."""
        kind = data[at + 1] if at + 1 < len(data) else None
        if kind is None:
            return 0
        if kind in (_WILL, _WONT, _DO, _DONT):
            return 3 if at + 2 < len(data) else 0
        if kind != _SB:
            return 2
        end = data.find(bytes((_IAC, _SE)), at)
        if end < 0:
            return 2 if len(data) - at > _MOST_OPTION_BYTES else 0
        option = data[at + 2 : end]
        if option[:2] == bytes((_TERMINAL_TYPE, _IS)):
            self.terminal = option[2:].decode("ascii", "replace")
        return end + 2 - at


class TelnetSession:
    """One client that waited for the router to speak; `complete` has the words that could end a line."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        run: Run,
        complete: Callable[[str], list[str]],
        most_bytes: int,
    ) -> None:
        self._reader, self._writer = reader, writer
        self._run, self._complete, self._most_bytes = run, complete, most_bytes
        self._decoder = Decoder()
        self._line, self._history, self._place = "", [""], 0
        self._escape, self._last = b"", 0

    async def serve(self) -> bytes:
        """Until the client leaves. A client whose first character is `{` only came late: that is returned at once, and
        what follows it is a request of `wirespeed.router.protocol`."""
        self._writer.write(GREETING)
        return await self._serve(b"")

    async def serve_telnet(self) -> None:
        """Until the client leaves. One whose first byte is not a command of telnet is let go at once: a web page can
        have its browser send lines of text to any TCP port of this machine."""
        self._writer.write(GREETING)
        try:
            first = await asyncio.wait_for(self._reader.read(1), _GREETED_S)
        except TimeoutError:
            return
        if first == bytes((_IAC,)):
            await self._serve(self._decoder.feed(first))

    async def _serve(self, typed: bytes) -> bytes:
        while self._decoder.terminal is None and not typed:
            try:
                byte = await asyncio.wait_for(self._reader.read(1), _PATIENCE_S)
            except TimeoutError:
                break
            if not byte:
                return b""
            typed = self._decoder.feed(byte)
        if typed == b"{":
            return typed
        if self._decoder.terminal == _SCRIPT:
            await self._serve_script()
        else:
            return await self._serve_person(typed)
        return b""

    async def _serve_script(self) -> None:
        begun = b""
        while data := await self._reader.read(4096):
            *lines, begun = (begun + self._decoder.feed(data).replace(b"\0", b"")).split(b"\n")
            for line in lines:
                if not await self._answer(line.decode(errors="replace"), "\n"):
                    await self._part()
                    return
                self._writer.write(b"\0")
            if len(begun) > self._most_bytes:
                return

    async def _part(self) -> None:
        """Leave the end to the client. At the end of its input it says `quit` with each piece that it reads, and would
        end by SIGPIPE, without the rest of its answer, if the router were gone by then."""
        self._writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PARTED_S):
                while await self._reader.read(4096):
                    pass

    async def _answer(self, line: str, newline: str) -> bool:
        """Run a line and write its output; False if it ends the session."""
        if line.strip() in _LEAVE:
            return False
        for message in self._run(line):
            if "pause" in message:
                await asyncio.sleep(message["pause"])
                continue
            text = f"{message['error']}\n" if "error" in message else message.get("text", "")
            self._writer.write(text.replace("\n", newline).encode())
            await self._writer.drain()
            await asyncio.sleep(0)  # others have their turn
        return True

    async def _serve_person(self, typed: bytes) -> bytes:
        self._say(PROMPT)
        is_first = not typed and self._decoder.terminal is None
        while True:
            for character in typed:
                if is_first and character == ord("{"):
                    return b"{"
                is_first = False
                if not await self._type(character):
                    return b""
            data = await self._reader.read(1 if is_first else 4096)
            if not data:
                return b""
            typed = self._decoder.feed(data)

    def _say(self, text: str) -> None:
        self._writer.write(text.encode())

    async def _type(self, character: int) -> bool:
        """One key; False when the client leaves by it."""
        if self._escape or character == 0x1B:
            self._escape += bytes((character,))
            if len(self._escape) == 3:
                self._look_back({_UP: -1, _DOWN: 1}.get(self._escape[1:], 0))
                self._escape = b""
        elif character == 0x0D or (character == 0x0A and self._last != 0x0D):
            self._last = character
            return await self._enter()
        elif character == _END and not self._line:
            return False
        elif character == _INTERRUPT:
            self._line = ""
            self._say(f"\r\n{PROMPT}")
        elif character in _ERASE:
            self._show(self._line[:-1])
        elif character == _KILL_LINE:
            self._show("")
        elif character == _KILL_WORD:
            self._show(self._line.rstrip().rpartition(" ")[0])
        elif character == 0x09:
            self._finish_word()
        elif character == ord("?"):
            self._say("?\r\n")
            await self._answer(f"{self._line} ?", "\r\n")
            self._say(PROMPT + self._line)
        elif 0x20 <= character < 0x7F and len(self._line) < self._most_bytes:
            self._line += chr(character)
            self._say(chr(character))
        self._last = character
        return True

    async def _enter(self) -> bool:
        line, self._line = self._line, ""
        self._say("\r\n")
        if line.strip():
            self._history = [*self._history[-_MOST_HISTORY:-1], line, ""]
            if not await self._answer(line, "\r\n"):
                return False
        self._place = len(self._history) - 1
        self._say(PROMPT)
        return True

    def _show(self, line: str) -> None:
        """Replace the typed line by another one."""
        self._line = line
        self._say(f"\r\x1b[K{PROMPT}{line}")

    def _look_back(self, step: int) -> None:
        self._place = min(max(self._place + step, 0), len(self._history) - 1)
        if step:
            self._show(self._history[self._place])

    def _finish_word(self) -> None:
        words = self._complete(self._line)
        if len(words) == 1:
            begun = "" if self._line[-1:].isspace() else self._line.rpartition(" ")[2]
            self._show(f"{self._line[: len(self._line) - len(begun)]}{words[0]} ")
        elif words:
            self._say(f"\r\n{'  '.join(words)}\r\n{PROMPT}{self._line}")
