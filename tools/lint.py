#!/usr/bin/env python3
"""Check Python, C and the language of texts without running them: every part on all CPUs, even if another part failed.

  tools/lint.py              the whole tree
  tools/lint.py --changed    all Python, but only C files that differ from the merge base with origin/main

Findings are printed as they come. The table at the end has a line for each part with its CPU time and its result.
clang-tidy analyses a source again only if its text, a header, its compile command or the settings changed since the
source was found clean; the record is below build/lint.
Exit code: 0 if nothing was found, 1 if a part failed, 2 for a wrong argument, 130 after Ctrl-C.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RECORDS = BUILD / "lint"
BEGUN = time.time()

# The head of a compiler's diagnostic. Notes belong to the diagnostic before them.
DIAGNOSTIC = re.compile(r"^\S.*:\d+:\d+: (?:warning|error): ")
INCLUDED = re.compile(r"^\.+ (.+)$")
# Options that differ between the commands of a source that is compiled for several x86-64 levels.
LEVEL_OPTION = re.compile(r"-march=x86-64|-mprefer-vector-width=|-D\w+_MARCH=")
GCC_ONLY = ("-fno-ipa-ra",)
LEVEL_CONDITION = re.compile(r"^\s*#\s*(?:el)?if(?:def)?\b.*(?:__(?:AVX|SSE|BMI|FMA)|_MARCH\b)", re.MULTILINE)


@dataclass(frozen=True)
class Ran:
    """An ended command: exit code, both outputs and the CPU time of it and its children."""

    code: int
    out: str
    err: str
    cpu_s: float


@dataclass(frozen=True)
class Finding:
    """A job's result: the text to print (empty if nothing was found) and its CPU time."""

    text: str
    cpu_s: float


@dataclass(frozen=True)
class Part:
    """A line of the table: jobs that may run at the same time, and what they look at."""

    name: str
    jobs: Sequence[Callable[[], Finding]]
    note: str = ""


def parts(changed: bool) -> Iterable[Part]:
    """All parts. The longest job comes first; a part that is one command is one line."""
    c_files = tracked("native/*.c", "native/*.h", "examples/*.c", "examples/*.h")
    formatted = [path for path in c_files if not changed or path in differing()]
    yield tool("mypy", ".venv/bin/mypy")
    yield tool("ruff check", ".venv/bin/ruff", "check")
    yield tool("ruff format", ".venv/bin/ruff", "format", "--check")
    yield tool("words", ".venv/bin/python", "tools/words.py")
    yield tool("clang-format", "clang-format", "--dry-run", "--Werror", files=formatted)
    yield clang_tidy([source for source in sources() if not changed or source.path in differing()])


def tool(name: str, *command: str, files: Sequence[str] | None = None) -> Part:
    """A part that is one command, with files to add to it; an empty list of files has nothing to do."""

    def job() -> Finding:
        ran = run([*command, *(files or [])], ROOT)
        return Finding((ran.out + ran.err or f"ended with {ran.code}") if ran.code else "", ran.cpu_s)

    if files is None:
        return Part(name, [job])
    return Part(name, [job] if files else [], f"{len(files)} files")


@dataclass(frozen=True)
class Source:
    """A C source by its path below ROOT, with the options of each of its compile commands, lowest level first."""

    path: str
    options: tuple[tuple[str, ...], ...]

    @property
    def record(self) -> Path:
        return RECORDS / f"{self.path}.json"

    def settings(self) -> str:
        return digest(repr((clang_tidy_version(), self.options)).encode())

    def is_clean(self) -> bool:
        """True if clang-tidy found nothing in exactly this text with exactly these settings."""
        try:
            record = json.loads(self.record.read_text())
            return bool(record["settings"] == self.settings() and record["texts"] == digest_of(record["files"]))
        except (OSError, ValueError, KeyError):
            return False

    def analyse(self) -> Finding:
        """Run clang-tidy for one level, and for the highest as well if a condition of the text depends on the level."""
        self.record.unlink(missing_ok=True)
        found, cpu_s, files = "", 0.0, {str(ROOT / self.path), str(ROOT / ".clang-tidy")}
        for options in self.variants(files):
            ran = run(["clang-tidy", "--quiet", "--extra-arg=-H", str(ROOT / self.path), "--", *options], BUILD)
            cpu_s += ran.cpu_s
            included = [match for line in ran.err.splitlines() if (match := INCLUDED.match(line))]
            files.update(os.path.normpath(BUILD / match[1]) for match in included)
            if ran.code:
                found += ran.out or f"{self.path}: clang-tidy ended with {ran.code}:\n{ran.err}"
        # A file that changed in the meantime may have been read before or after that.
        if not found and all(Path(file).stat().st_mtime < BEGUN for file in files):
            self.record.parent.mkdir(parents=True, exist_ok=True)
            texts = {"settings": self.settings(), "files": sorted(files), "texts": digest_of(sorted(files))}
            self.record.write_text(json.dumps(texts))
        return Finding(found, cpu_s)

    def variants(self, files: Iterable[str]) -> Iterable[tuple[str, ...]]:
        """Options to analyse with; `files` are the source and its headers once the first variant was analysed."""
        by_level = defaultdict(list)
        for options in self.options:
            by_level[tuple(word for word in options if not LEVEL_OPTION.match(word))].append(options)
        for levels in by_level.values():
            yield levels[0]
            if len(levels) > 1 and any(depends_on_level(file) for file in files):
                yield levels[-1]


def clang_tidy(wanted: Sequence[Source]) -> Part:
    stale = [source for source in wanted if not source.is_clean()]
    return Part("clang-tidy", [source.analyse for source in stale], f"{len(stale)} of {len(wanted)} sources")


def sources() -> list[Source]:
    """The C sources below native/ that the build compiles."""
    options = defaultdict(set)
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = os.path.relpath(Path(entry["directory"], entry["file"]), ROOT)
        if path.startswith("native/"):
            options[path].add(compile_options(entry["command"]))
    return [Source(path, tuple(sorted(found, key=level))) for path, found in sorted(options.items())]


def compile_options(command: str) -> tuple[str, ...]:
    """The options of a compile command that decide what the compiler sees, without its private folders and outputs."""
    kept = []
    words = iter(shlex.split(command))
    for word in words:
        if word in ("-o", "-MQ", "-MF", "-c"):
            next(words)
        elif word.startswith("-") and word not in ("-MD", *GCC_ONLY) and not re.fullmatch(r"-I.*\.p", word):
            kept.append(word)
            if word == "-include":
                kept.append(next(words))
    return tuple(kept)


def level(options: Iterable[str]) -> str:
    return next((word for word in options if word.startswith("-march=x86-64")), "")


@cache
def depends_on_level(path: str) -> bool:
    return path.startswith(str(ROOT)) and bool(LEVEL_CONDITION.search(Path(path).read_text()))


@cache
def clang_tidy_version() -> str:
    return run(["clang-tidy", "--version"], ROOT).out


@cache
def text_digest(path: str) -> str:
    return digest(Path(path).read_bytes())


def digest_of(paths: Iterable[str]) -> str:
    return digest("".join(map(text_digest, paths)).encode())


def digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def tracked(*patterns: str) -> list[str]:
    """Files of the tree, those not added yet as well."""
    return git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", *patterns)


@cache
def differing() -> frozenset[str]:
    """Files that differ from the merge base with origin/main, or from HEAD where there is no such branch."""
    base = (git("merge-base", "HEAD", "origin/main") or ["HEAD"])[0].strip()
    return frozenset(git("diff", "-z", "--name-only", "--diff-filter=d", base) + tracked())


def git(*words: str) -> list[str]:
    return [name for name in run(["git", *words], ROOT).out.split("\0") if name]


def run(command: Sequence[str], folder: Path) -> Ran:
    with tempfile.TemporaryFile() as err:
        try:
            process = Popen(command, cwd=folder, stdin=DEVNULL, stdout=PIPE, stderr=err)
        except FileNotFoundError:
            return Ran(127, "", f"{command[0]} is not installed; tools/setup.sh lint installs it\n", 0.0)
        assert process.stdout
        with process.stdout:
            out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        text = err.read().decode(errors="replace")
    return Ran(process.returncode, out.decode(errors="replace"), text, usage.ru_utime + usage.ru_stime)


class Printer:
    """Prints findings, a diagnostic of a header once for all sources that include it."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.lock = threading.Lock()

    def print(self, part: str, text: str) -> None:
        text = text.replace(f"{ROOT}/", "").replace("../native/", "native/")
        with self.lock:
            shown = True
            for line in text.splitlines():
                if DIAGNOSTIC.match(line):
                    shown = line not in self.seen
                    self.seen.add(line)
                if shown:
                    print(f"{part}: {line}" if DIAGNOSTIC.match(line) else line, flush=True)


def main(words: Sequence[str]) -> int:
    if words not in ([], ["--changed"]):
        print(f"invalid arguments {shlex.join(words)!r}; give none or --changed", file=sys.stderr)
        return 2
    printer = Printer()
    found: list[tuple[Part, list[Future[Finding]]]] = []
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        for part in parts(changed=bool(words)):
            found.append((part, [pool.submit(partial(do, part, job, printer)) for job in part.jobs]))
        pool.shutdown()
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)
        return 130
    failed = []
    for part, futures in found:
        results = [future.result() for future in futures]
        faulty = sum(bool(result.text) for result in results)
        if faulty:
            failed.append(part.name)
        print(row(part.name, bool(faulty), f"{sum(result.cpu_s for result in results):6.1f} CPU s", part.note))
    print(row("all", bool(failed), f"{time.time() - BEGUN:6.1f} s", ", ".join(failed)))
    return int(bool(failed))


def row(name: str, failed: bool, took: str, note: str) -> str:
    return f"{name:14} {'FAILED' if failed else 'clean':7} {took:14} {note}".rstrip()


def do(part: Part, job: Callable[[], Finding], printer: Printer) -> Finding:
    finding = job()
    printer.print(part.name, finding.text)
    return finding


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
