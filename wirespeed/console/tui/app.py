"""The live view as an application: panes that follow the server, and a line for the console's commands."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from types import FrameType
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, HorizontalScroll, ScrollableContainer
from textual.widgets import ContentSwitcher, Footer, RichLog, Static

from wirespeed.console.commands.console import EnterTui, LeaveConsole
from wirespeed.console.running import run_line
from wirespeed.console.session import Session
from wirespeed.console.shell import prompt_of
from wirespeed.console.tui import panes
from wirespeed.console.tui.command_line import CommandLine
from wirespeed.console.tui.live import Live, Minute
from wirespeed.console.tui.sampler import Sampler
from wirespeed.errors import WirespeedError

REFRESH_S = 1.0
COMMAND_PATIENCE_S = 5.0
"""Time to wait for a running command when the view is left."""
PANES = ("streams", "latency", "output")
FEW_LINES = 6
"""A command that says no more shows its last line only; the panes stay."""


def run_tui(session: Session, locked: bool = False) -> None:
    """Take over the terminal until the user leaves the view; the session stays as it is then. A `locked` view has keys
    and no line."""
    before = session.screen
    app = ConsoleApp(session, locked)
    try:
        with _left_when_told(app):
            app.run()
    finally:
        session.screen = before


@contextlib.contextmanager
def _left_when_told(app: ConsoleApp) -> Iterator[None]:
    """A signal that ends the console closes the view first, in which its exception could not be told from a fault."""
    exits: list[SystemExit] = []
    before: dict[int, Callable[[int, FrameType | None], object]] = {}

    def on_signal(number: int, frame: FrameType | None) -> None:
        try:
            before[number](number, frame)
        except SystemExit as ended:
            exits.append(ended)
        app.leave()

    for ending in (signal.SIGTERM, signal.SIGHUP):
        heeded = signal.getsignal(ending)
        if callable(heeded):
            before[ending] = heeded
            signal.signal(ending, on_signal)
    try:
        yield
    finally:
        if not exits:
            for number, handler in before.items():
                signal.signal(number, handler)
    if exits:
        raise exits[0]


class PaneScreen:
    """Shows what commands print in the view; their threads are not the application's."""

    def __init__(self, app: ConsoleApp) -> None:
        self._app = app

    def show(self, text: Text | str = "") -> None:
        self._app.tell(lambda: self._app.write(text))

    def notify(self, text: str) -> None:
        self._app.tell(lambda: self._app.write(Text(text, "yellow")))


class ConsoleApp(App[None]):
    """One second's figures in panes, drawn once a second; commands run in a thread."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "wirespeed console"
    CSS = """
    Screen { layout: vertical; }
    #head { height: 1; background: $panel; }
    #ports { height: auto; overflow-x: auto; overflow-y: hidden; scrollbar-size-horizontal: 1; }
    #ports Static, #streams Static, #latency Static { width: auto; }
    #minute { height: auto; }
    #tabs { height: 1; background: $panel; }
    #panes { height: 1fr; min-height: 1; }
    #panes ScrollableContainer { scrollbar-size: 1 1; }
    #output { scrollbar-size: 1 1; background: $background; }
    #said { height: 1; }
    #entry { height: 1; }
    #prompt { width: auto; text-style: bold; }
    CommandLine { border: none; height: 1; padding: 0; background: $background; }
    CommandLine:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+d,ctrl+q", "quit", "Quit", key_display="q"),
        Binding("f1,h,question_mark", "run('help')", "Help", key_display="F1"),
        Binding("escape", "switch_focus", "Line/keys", key_display="esc"),
        Binding("f2,s", "pane('streams')", "Streams", key_display="F2"),
        Binding("f3,l", "pane('latency')", "Latency", key_display="F3"),
        Binding("f4,o", "pane('output')", "Output", key_display="F4"),
        Binding("f5,c", "run('clear')", "Clear", key_display="F5"),
        Binding("ctrl+c", "drop_line", show=False, priority=True),
    ]

    def __init__(self, session: Session, locked: bool = False) -> None:
        super().__init__()
        self.session = session
        self._locked = locked
        session.screen = PaneScreen(self)
        self.live: Live | None = None
        self._trouble = ""
        self._minute = Minute()
        self._sampler = Sampler(session)
        self._reading = ThreadPoolExecutor(1, "reader")
        self._commands = ThreadPoolExecutor(1, "commands")
        self._lines_at_work: list[Future[None]] = []
        self._printed = 0
        self._events: asyncio.AbstractEventLoop | None = None
        self._context_of_view = copy_context()
        self._is_left = False

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        with HorizontalScroll(id="ports", can_focus=False):
            yield Static(id="table")
        yield Static(id="minute")
        yield Static(id="tabs")
        with ContentSwitcher(initial="streams", id="panes"):
            for name in PANES[:2]:
                with ScrollableContainer(id=name):
                    yield Static(id=f"{name}-text")
            yield RichLog(id="output", wrap=False, max_lines=2000)
        yield Static(id="said")
        with Horizontal(id="entry"):
            yield Static(id="prompt")
            yield CommandLine(self.session)
        yield Footer()

    def leave(self) -> None:
        """Close the view as soon as may be; from a signal handler."""
        self._is_left = True
        self.tell(self.exit)

    def tell(self, what: Callable[[], object]) -> None:
        """Run it in the view's thread, called from another thread or a signal handler. A view that was left does
        nothing. Textual's `call_from_thread` would wait for ever in that case."""
        if self._events is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._events.call_soon_threadsafe(what, context=self._context_of_view)

    async def on_mount(self) -> None:
        self._context_of_view = copy_context()
        self._events = asyncio.get_running_loop()
        if self._is_left:
            self.exit()
        self.query_one("#entry").display = not self._locked
        self.action_drop_line()
        self.action_pane("streams")
        self._draw()
        self.run_worker(self._follow(), name="follow")

    async def on_unmount(self) -> None:
        self._commands.shutdown(wait=False, cancel_futures=True)
        wait(self._lines_at_work, COMMAND_PATIENCE_S)  # their connection is the session's, which goes on
        self._reading.shutdown(wait=True, cancel_futures=True)
        self._sampler.close()

    async def _follow(self) -> None:
        """Read and draw for as long as the view is up; a reading that takes long delays the next."""
        loop = asyncio.get_running_loop()
        while self.is_running:
            due = loop.time() + REFRESH_S
            try:
                self.live = await loop.run_in_executor(self._reading, self._sampler.sample)
                self._minute.add(self.live)
                self._trouble = ""
            except WirespeedError as error:
                self._trouble = str(error).partition(";")[0]
            self._draw()
            await asyncio.sleep(max(0.0, due - loop.time()))

    def _draw(self) -> None:
        if not self.is_running:
            return  # the screen loses its widgets before the workers end, so a reading may come in between
        session = self.session
        self.query_one("#head", Static).update(panes.head(session.server, session.version, self.live, self._trouble))
        self.query_one("#prompt", Static).update(prompt_of(session, "tui"))
        if self.live is None:
            return
        width, height = self.size
        self.query_one("#table", Static).update(panes.ports(self.live, width, height))
        self.query_one("#minute").display = height >= panes.FLAT
        self.query_one("#minute", Static).update(panes.minute(self.live, self._minute, width, height))
        self.query_one("#streams-text", Static).update(panes.streams(self.live))
        self.query_one("#latency-text", Static).update(panes.latency(self.live))

    def on_resize(self) -> None:
        if self.is_running:
            self.query_one(Footer).compact = self.size.width < panes.WIDE
            self._draw()

    # ---- keys

    def action_pane(self, name: str) -> None:
        self.query_one("#panes", ContentSwitcher).current = name
        self.query_one("#said").display = name != "output"  # which shows it anyway
        words = [(f" {one} ", "reverse bold" if one == name else "dim") for one in PANES]
        self.query_one("#tabs", Static).update(Text.assemble(*words))

    def action_switch_focus(self) -> None:
        line = self.query_one(CommandLine)
        self.set_focus(None if line.has_focus or self._locked else line)

    def action_drop_line(self) -> None:
        line = self.query_one(CommandLine)
        line.value = ""
        self.set_focus(None if self._locked else line)

    # ---- commands

    def on_command_line_entered(self, event: CommandLine.Entered) -> None:
        self.action_run(event.line)

    def action_run(self, line: str) -> None:
        """Run a console command; the next one waits for it."""
        self.run_worker(self._run(line), name=line)

    async def _run(self, line: str) -> None:
        """Output goes to the output pane, which opens for more than a few lines."""
        if not self.is_running:
            return
        self._output.write(Text(f"{prompt_of(self.session, 'tui')}{line}", "bold"))
        self._lines_at_work = [one for one in self._lines_at_work if not one.done()]
        printed = self._printed
        try:
            running = self._commands.submit(self._run_here, line)
            self._lines_at_work.append(running)
            await asyncio.wrap_future(running)
        except LeaveConsole:
            self.exit()
            return
        except EnterTui:
            self.write(Text("this is the tui", "bold red"))
        if self._printed - printed > FEW_LINES and self.is_running:
            self.action_pane("output")
        self._draw()

    def _run_here(self, line: str) -> None:
        run_line(self.session, line, lambda text: self.session.screen.show(Text(text, "bold red")))

    def write(self, text: Text | str) -> None:
        """Add to the output pane; a single line stands above the prompt as well. A view that closes shows no more."""
        if not self.is_running:
            return
        shown = Text(text) if isinstance(text, str) else text
        lines = shown.split("\n")
        self._printed += len(lines)
        self._output.write(shown)
        self.query_one("#said", Static).update(shown if len(lines) == 1 else "")

    @property
    def _output(self) -> RichLog:
        return self.query_one("#output", RichLog)
