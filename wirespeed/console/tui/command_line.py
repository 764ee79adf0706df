"""The line of the live view that takes the console's commands: history, completion, and `q` to leave."""

from __future__ import annotations

from itertools import takewhile

from textual import events
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from wirespeed.console.completion import candidates
from wirespeed.console.session import Session


class CommandLine(Input):
    """Posts `Entered` for each line. Up and down go through the lines of this session, Tab completes."""

    class Entered(Message):
        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    def __init__(self, session: Session) -> None:
        super().__init__(placeholder="command, such as help", suggester=_Completions(session), select_on_focus=False)
        self._session = session
        self._back = 0

    async def _on_key(self, event: events.Key) -> None:
        match event.key:
            case "q" | "ctrl+d" if not self.value:
                await self.run_action("app.quit")
            case "tab":
                self._complete()
            case "up" | "down":
                self._recall(1 if event.key == "up" else -1)
            case "enter":
                line, self.value, self._back = self.value.strip(), "", 0
                if line:
                    self.post_message(self.Entered(line))
            case _:
                await super()._on_key(event)
                return
        event.stop()
        event.prevent_default()

    def _complete(self) -> None:
        """Complete the longest common beginning of all candidates; a complete word is followed by a blank."""
        words = candidates(self.value, self._session.ports)
        if not words:
            return
        begun = "" if not self.value or self.value[-1].isspace() else self.value.split()[-1]
        common = "".join(chars[0] for chars in takewhile(lambda chars: len(set(chars)) == 1, zip(*words, strict=False)))
        self.value = self.value[: len(self.value) - len(begun)] + common
        if len(words) == 1 and not common.endswith("/"):
            self.value += " "
        self.cursor_position = len(self.value)

    def _recall(self, step: int) -> None:
        lines = self._session.history
        self._back = max(0, min(len(lines), self._back + step))
        self.value = lines[-self._back] if self._back else ""
        self.cursor_position = len(self.value)


class _Completions(Suggester):
    """Shows how a line could go on; the right arrow takes it."""

    def __init__(self, session: Session) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._session = session

    async def get_suggestion(self, value: str) -> str | None:
        begun = "" if value[-1:].isspace() else value.rsplit(maxsplit=1)[-1]
        found = candidates(value, self._session.ports) if begun else []
        return value[: len(value) - len(begun)] + found[0] if found else None
