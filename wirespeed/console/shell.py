"""The interactive console: prompt, history, completion, and leaving with traffic running."""

from __future__ import annotations

from prompt_toolkit import PromptSession
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output
from prompt_toolkit.patch_stdout import patch_stdout
from rich.text import Text

from wirespeed.console.commands.console import EnterTui, LeaveConsole
from wirespeed.console.completion import ConsoleCompleter
from wirespeed.console.running import run_line
from wirespeed.console.session import Session
from wirespeed.errors import WirespeedError
from wirespeed.history import line_history
from wirespeed.typed_line import typed_line


class ConsoleShell:
    """Reads lines until quit or the end of input. `input` and `output` are the terminal's unless given."""

    def __init__(self, session: Session, *, input: Input | None = None, output: Output | None = None) -> None:
        self._session = session
        self._completer = ConsoleCompleter(session.ports)
        self._lines: PromptSession[str] = PromptSession(
            history=line_history("console-history"),
            completer=self._completer,
            complete_while_typing=False,
            input=input,
            output=output,
        )
        self._questions: PromptSession[str] = PromptSession(input=input, output=output)

    def run(self, tui: EnterTui | None = None) -> None:
        """Until the user leaves; with `tui` that alone, without a prompt after it."""
        if tui is not None:
            self._enter_tui(tui)
            if self._leave():
                return
        while True:
            self._completer.ports = self._session.ports
            try:
                with patch_stdout(raw=True):  # what happens by itself is told above the line being typed
                    line = typed_line(
                        self._lines, self._complain, lambda: prompt_of(self._session), refresh_interval=1.0
                    )
                if not line.strip():
                    continue
                run_line(self._session, line, self._complain, timed=True)
            except KeyboardInterrupt:
                continue
            except EnterTui as asked:
                self._enter_tui(asked)
            except (EOFError, LeaveConsole):
                if self._leave():
                    return

    def _enter_tui(self, tui: EnterTui) -> None:
        from wirespeed.console.tui.app import run_tui  # noqa: PLC0415 - textual takes its time

        run_tui(self._session, tui.locked)

    def _leave(self) -> bool:
        """Ask what becomes of running traffic; False when the user would rather stay."""
        session = self._session
        stop = False
        try:
            active = session.active_ports() if session.online else []
            if active:
                question = f"Traffic runs on port(s) {active}. Stop it before leaving? [Y]es, [n]o, [c]ancel: "
                answer = self._ask(question, ("y", "yes", "", "n", "no", "c", "cancel"))
                if answer.startswith("c"):
                    return False
                stop = not answer.startswith("n")
            session.leave(stop)
        except WirespeedError as error:
            self._complain(str(error))
            session.drop("left")
        return True

    def _ask(self, question: str, answers: tuple[str, ...]) -> str:
        while True:
            try:
                answer = typed_line(self._questions, self._complain, question).strip().lower()
            except KeyboardInterrupt:
                return "c"
            except EOFError:
                return ""
            if answer in answers:
                return answer

    def _complain(self, text: str) -> None:
        self._session.screen.show(Text(text, "bold red"))


def prompt_of(session: Session, name: str = "wirespeed") -> str:
    """`wirespeed>`, or with what keeps it from being so plain in brackets."""
    if not session.online:
        return f"{name}(offline)> "
    if not session.owned:
        return f"{name}(read-only)> "
    if session.service_ports:
        return f"{name}(service)> "
    if len(session.owned) < len(session.ports):
        return f"{name}({','.join(map(str, session.owned))})> "
    return f"{name}> "
