#!/usr/bin/env python3
"""Check the language of what users read: pages, help, messages and templates.

  tools/words.py               each habit that was found: FILE:LINE: the words, and what to write instead
  tools/words.py --table       for each page its words, its habits per 1 000 words and its sentences above 35 words
  tools/words.py --messages    each error message and each text of help: FILE:LINE: error or help, and the text

The check reads the text of docs/, README.md and CONTRIBUTING.md without code, the strings of wirespeed/ and telemetry/
from the syntax tree (docstrings only of commands), the page templates, the texts of telemetry's YAML files, and the
strings of native/ without its tests and benches.
Exit code: 0 if nothing was found, 1 with findings, 2 for a wrong argument.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
LONG = 35
"""A sentence of more words is long."""
CODE = r"`` .*? ``|`[^`]*`"


@dataclass(frozen=True)
class Habit:
    """Words that are hard to read. The tests check that `pattern` matches `bad` and does not match `good`."""

    pattern: str
    instead: str
    bad: str
    good: str

    def found_in(self, text: str) -> Iterator[re.Match[str]]:
        return re.finditer(self.pattern, text, re.IGNORECASE)


COUNTED = (
    r"packets?|frames?|bytes|bits|flows|samples|times|calls|clocks|cycles|ticks|instructions|loops|losses|turns?|cards?"
    r"|rows?|work|CPU time|µJ"
)
UNIT = r"second|minute|hour|packet|frame|sample|call|direction|device|port|test|link|flow|core|worker|turn|table"

HABITS = (
    Habit(
        r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|better\b|worse\b)(?:[a-z`'\"{]|[A-Z])",
        "is not a …",
        "'x' is no MAC address",
        "there is no such file; it is no longer used",
    ),
    Habit(rf"\b(?:{COUNTED}) an? (?:{UNIT})\b", "per", "8 million packets a second", "8 million packets per second"),
    Habit(r"\bunless told\b|\bunless said\b|\bas told\b", "default: …", "5 s each, unless told", "5 s each by default"),
    Habit(r"\b(?:of|not) ours\b|\bours\b", "wirespeed's, the test's", "a generator of ours", "a wirespeed generator"),
    Habit(
        r"\bwhose doing\b|\bwhose it is\b|\bis to blame\b",
        "cause",
        "losses and whose doing they are",
        "losses and their cause",
    ),
    Habit(
        r"(?:^|\. )(?:What|Whose|Whoever|That which) \S+ (?:[^\s.?!]+ )+?"
        r"(?:is|are|was|were|stays?|counts?|goes|comes?|takes?|has|have|may|can|cannot)\b[^?]*?\.(?!\w)",
        "name the thing first",
        "What was lost is counted.",
        "Lost packets are counted. What limits it?",
    ),
    Habit(
        r"(?:^|\. )(?-i:Of) (?:an?|the|all|each|both|seconds|minutes|several|two|some|those|these) [^,.]{1,60}, ",
        "subject first",
        "Of a search, the trials are kept.",
        "Of 30 trials one failed.",
    ),
    Habit(
        r"\b(?:is|are|was|were|be) told\b(?! apart)|\btells? (?:of|that|what|how)\b",
        "shows, reports",
        "it is told that",
        "it reports that",
    ),
    Habit(r"\bfor want of\b", "for lack of", "stops for want of memory", "stops for lack of memory"),
    Habit(r"\banew\b", "again", "begins anew", "begins again"),
    Habit(r"\bspoil(?:t|ed|s)?\b", "disturbed, invalid", "a spoilt sample", "a disturbed sample"),
    Habit(r"\bmend(?:s|ed|ing)?\b", "fix, repair", "what mends it", "how to fix it"),
    Habit(r"\bbesides\b|\bmeanwhile\b", "also, in the meantime: during the test", "besides, it waits", "it also waits"),
    Habit(r"\bwho(?:so)?ever\b", "anyone who", "whoever reads it", "anyone who reads it"),
    Habit(r"\bdear(?:est|er)?\b", "expensive, costly", "the dearest nodes", "the most expensive nodes"),
    Habit(
        r"\bheeds?\b|\bbefalls?\b|\bthie(?:f|ves)\b|\bthereof\b",
        "uses, affects, of these",
        "nothing heeds it",
        "it has no effect",
    ),
    Habit(
        r"(?<!\bgo )(?<!\bgoes )\bon end\b", "in a row, consecutive", "three samples on end", "three samples in a row"
    ),
    Habit(r"\bnone of (?:a|an)\b|\blet be\b|\bso manyth\b", "say it plainly", "none of a text", "not a text"),
    Habit(r"\bat the wall\b", "wall-clock time", "seconds at the wall", "seconds of wall-clock time"),
    Habit(
        r"\b(?:workers?|CPUs) (?:was|were) (?:taken )?away\b",
        "preempted",
        "a worker was away for 5 ms",
        "a worker was preempted for 5 ms",
    ),
    Habit(r"\bempty looks?\b", "empty polls", "empty looks", "empty polls"),
    Habit(r"\bput(?:s|ting)? (?:it|them|this|that) back\b|\bput back\b", "restore", "puts it back", "restores it"),
    Habit(
        r"\bthe seed(?:s|'s)? (?:suite|documents?|articles?)\b",
        "cite author and title",
        "the seed suite",
        "the ten standard load tests; seed 7",
    ),
)

ALLOWED: tuple[tuple[str, str, str], ...] = (
    ("native/router/", "ip6 source is link-local and destination is not ours", "a counter's name"),
    ("native/router/", "ip6 destination is link-local and not ours", "a counter's name"),
    ("docs/hardware.md", "spoils", "a grade of `host check`, and its word in JSON"),
    ("native/router/", "no icmp4 error to a source that is no host", "a counter's name, which dashboards have"),
    ("native/router/", "no icmp6 error to a source that is no host", "a counter's name, which dashboards have"),
)
"""Exceptions: path (or its beginning), words and reason; at most 20."""


@dataclass(frozen=True)
class Piece:
    """A piece of text that users read, with the file and line where it begins."""

    path: Path
    line: int
    text: str


@dataclass(frozen=True)
class Finding:
    piece: Piece
    words: str
    habit: Habit

    def __str__(self) -> str:
        place = f"{self.piece.path.relative_to(ROOT)}:{self.piece.line}"
        return f"{place}: {self.words!r}: {self.habit.instead}: {shortened(self.piece.text)}"


def shortened(text: str) -> str:
    return text if len(text) <= 160 else text[:159] + "…"


# Pages


def page_pieces(path: Path) -> Iterator[Piece]:
    """Paragraphs, headings, list items and table cells of Markdown; code is one word, links are their text."""
    lines, begun, fenced = [], 0, False
    for number, read in enumerate([*path.read_text().splitlines(), ""], 1):
        is_fence = read.lstrip().startswith(("```", "~~~"))
        line = "" if fenced or is_fence or (read.startswith("    ") and not lines) else read
        fenced ^= is_fence
        new = re.match(r"\s*(?:[-*+] |\d+\. |#+ |\||> |<)", line)
        if lines and (new or not line.strip()):
            yield Piece(path, begun, plain(" ".join(lines)))
            lines = []
        if line.strip().startswith("|"):
            if not re.fullmatch(r"[|:\- ]+", line.strip()):
                yield from (Piece(path, number, plain(cell)) for cell in cells(line) if cell.strip())
        elif line.strip():
            begun = begun if lines else number
            lines.append(re.sub(r"^\s*(?:[-*+] |\d+\. |#+ |> )", "", line).strip())


def cells(row: str) -> list[str]:
    return re.split(r"(?<!\\)\|", re.sub(CODE, "X", row.strip()))


def plain(markdown: str) -> str:
    text = re.sub(CODE, "X", markdown)
    text = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", text)
    return re.sub(r"<[^>]+>|\*\*|__|(?<!\w)[*_]|[*_](?!\w)", "", text).strip()


def sentences(text: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])", text) if one.strip()]


def words_of(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9][\w'’/.,+-]*", text)


# Strings


def python_pieces(path: Path) -> Iterator[Piece]:
    """Strings of several words, with the docstrings of commands and without all others."""
    tree = ast.parse(path.read_text())
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            texts = [child.value for child in node.body if isinstance(child, ast.Expr)]
            skipped.update(id(text) for text in texts[is_command(path, node) :])
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if " " in text.strip():
            yield Piece(path, node.lineno, " ".join(text.split()))


def is_command(path: Path, node: ast.AST) -> bool:
    return path.parent.name == "cli" and isinstance(node, ast.FunctionDef) and node.name == "command"


def template_pieces(path: Path) -> Iterator[Piece]:
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|<script.*?</script>|<style.*?</style>", " ", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "{}", text, flags=re.DOTALL)
    for match in re.finditer(r"[^<>]+", re.sub(r"</?(?:b|i|em|code|span|a|kbd|strong)\b[^>]*>", " ", text)):
        if " " in (found := " ".join(match[0].split())):
            yield Piece(path, text.count("\n", 0, match.start()) + 1, found)


def c_pieces(path: Path) -> Iterator[Piece]:
    """String literals of several words; adjacent literals are joined."""
    text = path.read_text()
    string = r'"(?:\\.|[^"\\\n])*"'
    token = rf"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\])+'|(?P<text>{string}(?:\s*(?:PRI\w+\s*)?{string})*)"
    for match in re.finditer(token, text, re.DOTALL):
        if match["text"]:
            found = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', match["text"])).replace("\\n", " ")
            if " " in found.strip():
                yield Piece(path, text.count("\n", 0, match.start()) + 1, found)


def yaml_pieces(path: Path) -> Iterator[Piece]:
    """The values of several words, without queries (`expr`, `series`)."""
    waiting = [yaml.compose(path.read_text(), yaml.SafeLoader)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            waiting += [value for key, value in node.value if key.value not in ("expr", "series")]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.ScalarNode) and len(node.value.split()) > 1:
            yield Piece(path, node.start_mark.line + 1, " ".join(node.value.split()))


# Messages


def python_messages(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, kind and text of each string that is raised, and of each text of help."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from ((node.lineno, "error", text) for one in node.exc.args if (text := string_of(one)))
        elif isinstance(node, ast.Call):
            named = [one.value for one in node.keywords if one.arg in ("help", "description")]
            if isinstance(node.func, ast.Name) and node.func.id == "Option":
                named += node.args[1:2]
            yield from ((node.lineno, "help", text) for one in named if (text := string_of(one)))
        elif isinstance(node, ast.FunctionDef) and path.parent.name == "cli" and not node.name.startswith("_"):
            yield from ((node.lineno, "help", text) for text in [ast.get_docstring(node)] if text)


def string_of(node: ast.expr) -> str:
    """The text of a string or of an f-string with {} for its values; empty for other expressions."""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp):
        return string_of(node.left) + string_of(node.right)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def c_messages(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, kind and text of each string that is given to a function named like `fail` or `refuse`."""
    text = path.read_text()
    for match in re.finditer(r"\b(?:\w+_)?(?:fail|refuse)(?:_\w+)?\s*\(([^;{]*?)\);", text, re.DOTALL):
        if found := "".join(re.findall(r'"((?:\\.|[^"\\])*)"', match[1])):
            yield text.count("\n", 0, match.start()) + 1, "error", found


def messages() -> Iterator[str]:
    for paths, read in ((tracked("wirespeed/*.py"), python_messages), (tracked("native/*.c"), c_messages)):
        for path in paths:
            name = path.relative_to(ROOT)
            if {"tests", "bench", "fuzz"}.isdisjoint(name.parts):
                yield from (f"{name}:{line}: {kind}: {' '.join(text.split())}" for line, kind, text in read(path))


# All of them


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, check=True, text=True)
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def pages() -> list[Path]:
    return tracked("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/**/*.md")


def pieces() -> Iterator[Piece]:
    for path in pages():
        yield from page_pieces(path)
    for path in tracked("wirespeed/*.py", "telemetry/*.py"):
        yield from python_pieces(path)
    for path in tracked("telemetry/*.yml"):
        yield from yaml_pieces(path)
    for path in tracked("wirespeed/*.html"):
        yield from template_pieces(path)
    for path in tracked("native/*.c", "native/*.h"):
        if "tests" not in path.parts and "bench" not in path.parts:
            yield from c_pieces(path)


def findings(texts: Iterable[Piece]) -> Iterator[Finding]:
    for piece in texts:
        for habit in HABITS:
            for match in habit.found_in(piece.text):
                if not is_allowed(piece, match[0]):
                    yield Finding(piece, match[0].strip(), habit)


def is_allowed(piece: Piece, words: str) -> bool:
    path = str(piece.path.relative_to(ROOT))
    return any(path.startswith(place) and words.lower() in allowed for place, allowed, _ in ALLOWED)


def table() -> Iterator[str]:
    yield "  words  per 1 000  long  page"
    for path in pages():
        texts = list(page_pieces(path))
        count = sum(len(words_of(piece.text)) for piece in texts)
        habits = sum(1 for _ in findings(texts))
        long = sum(1 for piece in texts for one in sentences(piece.text) if len(words_of(one)) > LONG)
        yield f"{count:7,}  {1000 * habits / max(count, 1):9.1f}  {long:4}  {path.relative_to(ROOT)}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the language of what users read.")
    parser.add_argument("--table", action="store_true", help="the table of pages instead of the findings")
    parser.add_argument("--messages", action="store_true", help="all error messages and texts of help")
    asked = parser.parse_args()
    if asked.table or asked.messages:
        print("\n".join(table() if asked.table else messages()))
        return 0
    found = list(findings(pieces()))
    for one in found:
        print(one)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
