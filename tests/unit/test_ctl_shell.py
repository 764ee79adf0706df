"""The interactive shell, with input through prompt_toolkit's own pipe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from wirespeed.cli import ctl
from wirespeed.errors import ConnectionFault
from wirespeed.router import shell
from wirespeed.router.shell import RouterCompleter, RouterShell


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "wirespeed" / "history"


def typed(text: str, path: Path = Path("/nowhere")) -> list[str]:
    lines: list[str] = []

    def run(line: str) -> int:
        lines.append(line)
        return 0

    with create_pipe_input() as terminal:
        terminal.send_text(text)
        RouterShell(path, input=terminal, output=DummyOutput()).run(run)
    return lines


@pytest.mark.parametrize("end", ["quit\n", "exit\n", "q\n", "\x04"])
def test_lines_are_run_until_the_end(end: str) -> None:
    assert typed("show run\n\n  show err \n" + end) == ["show run", "show err"]


def test_ctrl_c_drops_the_line_and_nothing_else() -> None:
    assert typed("set int stat\x03show run\nquit\n") == ["show run"]


def test_a_question_mark_asks_at_once_and_the_line_stays() -> None:
    assert typed("show ?run\nquit\n") == ["show  ?", "show run"]


def test_lines_are_remembered(state: Path) -> None:
    typed("show run\nquit\n")
    assert typed("\x1b[A\x1b[A\n\x04") == ["show run"]
    assert "+show run" in state.read_text()
    assert state.stat().st_mode & 0o077 == 0


def test_a_history_that_cannot_be_kept_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert typed("show run\nquit\n") == ["show run"]


def test_a_shell_without_a_router_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert ctl.command(None, tmp_path / "gone.sock") == ConnectionFault.exit_code


def completions(monkeypatch: pytest.MonkeyPatch, text: str, answer: Callable[[Path, str], list[str]]) -> list[str]:
    monkeypatch.setattr(shell, "complete", answer)
    found = RouterCompleter(Path("/nowhere")).get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + completion.start_position] + completion.text for completion in found]


def test_completion_replaces_the_word_that_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    assert completions(monkeypatch, "show int", lambda path, line: ["interface"]) == ["show interface "]
    assert completions(monkeypatch, "show ", lambda path, line: ["cpu", "run"]) == ["show cpu ", "show run "]
    assert completions(monkeypatch, "ip route add 10.", lambda path, line: []) == []


def test_completion_without_a_router_offers_nothing() -> None:
    assert list(RouterCompleter(Path("/nowhere")).get_completions(Document("sh"), CompleteEvent())) == []
