"""Pages that are generated from the code: the commands' help, the router's commands, the causes of `explain`."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from manual.commands import Entry, Page
from manual.man import exit_codes
from wirespeed.explain.causes import contracts
from wirespeed.model import COMMON_OPTIONS
from wirespeed.port_types import PORT_TYPES
from wirespeed.router.commands.path_words import PATHS
from wirespeed.router.commands.registry import RouterCommand

_PAGES = {
    "demo": "first-test",
    "stateful": "firewalls",
    "campaign": "campaigns",
    "compare": "results",
    "report": "results",
    "web": "results",
    "host": "hardware",
    "exporter": "telemetry",
    "console": "generator",
    "config": "vpp-tools",
    "ctl": "router",
}
"""Names of pages in docs/ by command, if they differ from the command's name."""


def command_page(page: Page) -> str:
    """The text of `wirespeed COMMAND --help` and of its verbs."""
    lines = [f"# wirespeed {page.name}", "", page.summary, "", *_told(page, "##")]
    for verb in page.verbs:
        lines += [f"## wirespeed {verb.name}", "", *_told(verb, "###")]
    return "\n".join(lines)


def _told(page: Page, heading: str) -> list[str]:
    lines = ["```console", f"$ {page.usage}", "```", ""]
    for paragraph in page.paragraphs:
        lines += [_safe(paragraph), ""]
    for title, entries in (("Arguments", page.arguments), ("Options", page.options)):
        if entries:
            lines += [f"{heading} {title}", "", *_table(title[:-1].lower(), entries), ""]
    return lines


def commands_page(pages: Sequence[Page]) -> str:
    """Table of all commands with their summaries."""
    rows = [f"| [wirespeed {page.name}]({page.name}.md) | {_cell(page.summary)} |" for page in pages]
    return "\n".join(["# Commands", "", "| command | description |", "|---|---|", *rows, ""])


def overview_page(pages: Sequence[Page]) -> str:
    """docs/commands.md: all commands with the page on each, and the exit codes."""
    rows = []
    for page in pages:
        about = _PAGES.get(page.name, page.name)
        rows.append(f"| `wirespeed {page.name}` | {_cell(page.summary)} | [{about}]({about}.md) |")
    codes, others = exit_codes()
    lines = [
        "# Commands, exit codes and port types",
        "",
        "`wirespeed COMMAND --help` lists the options of a command; `man wirespeed-COMMAND` has the same list. "
        "Durations are seconds or have a unit (`500ms`, `10s`, `5m`, `1h`, `3d`). Ratios are numbers or percent "
        "(`0.001`, `0.1%`). From Python, and in pytest: [names](ci.md#names).",
        "",
        f"Sections: {', '.join(map(to_section, ('Exit codes', 'Port types', 'Longest frames')))}.",
        "",
        *("| command | description | page |", "|---|---|---|", *rows, ""),
        *("## Exit codes", "", "| code | meaning |", "|---|---|"),
        *(f"| {code} | {_cell(told)} |" for code, told in codes.items()),
        *(
            "",
            _safe(others),
            "",
            "`loadtest` and `demo` end with 0 even if no figure could be measured because the host disturbed the test. "
            "A script has to read the figure too: [in CI](ci.md#when-the-host-disturbed-a-test).",
            "",
            *_port_types(),
            "`python -m manual references docs` writes this page from the code.",
            "",
        ),
    ]
    return "\n".join(lines)


def _port_types() -> list[str]:
    """Section on port types: options of each type, options of all types, longest frames."""
    rows = []
    for name, told in PORT_TYPES.items():
        example = f"{name}:{told.example}" if told.example else name
        options = "; ".join(f"`{key}=` {meaning}" for key, meaning in told.options.items())
        rows.append(f"| `{example}` | {told.about} | {options} |")
    return [
        *("## Port types", ""),
        "A *port spec* names a port of the generator (`--port`), of the router (`--interface NAME=SPEC`) or of a "
        "testbed file: `TYPE:TARGET,OPTION=VALUE,…`. Defaults are in parentheses. A generator worker polls all RX "
        "queues of its port and spreads flows over all TX queues of a memif: with `rxq=2,txq=2` at both ends, two "
        "workers of the router share the load. The requirements of a port (root, a driver, a socket's directory) are "
        "checked before it is opened.",
        *("", "| example | description | options of the type |", "|---|---|---|", *rows, ""),
        *("| option of all types | meaning |", "|---|---|"),
        *(f"| `{key}=` | {meaning} |" for key, meaning in COMMON_OPTIONS.items()),
        *("", "### Longest frames", ""),
        "`--mtu` of the generator and `mtu=` of a port are the largest layer 3 packet. MTU + 22 is Ethernet with two "
        "tags, at most 9238. A driver that refuses the MTU ends the program with a message; drivers without such a "
        "call carry what fits their buffers. Bytes without FCS:",
        *("", "| port | sent | received |", "|---|---|---|"),
        *(f"| `{name}` | {told.sent} | {told.received} |" for name, told in PORT_TYPES.items() if told.sent),
        "",
    ]


def router_commands_page(commands: Iterable[tuple[str, RouterCommand]]) -> str:
    """docs/router-commands.md: syntaxes of the router's command line, grouped by module and sorted by title. The
    docstring of a module has the title and a list of the group's limits."""
    groups: dict[str, dict[int, tuple[list[str], str]]] = {}
    for syntax, command in commands:
        rows = groups.setdefault(command.function.__module__, {})
        rows.setdefault(id(command), ([], command.summary))[0].append(_code(_in_table(syntax)))
    lines = [
        "# The router's commands",
        "",
        "The commands of `wirespeed ctl`, and the limits and differences from VPP of each group. How to use them: "
        "[router.md](router.md). `<x>` is a value, `[x]` is optional, `(x|y)` is a choice, `...` repeats.",
        "",
    ]
    told = ((inspect.cleandoc(sys.modules[name].__doc__ or ""), rows) for name, rows in groups.items())
    ordered = sorted(told, key=lambda group: group[0].lower())
    titles = (text.partition("\n")[0].partition(": ")[0].rstrip(".") for text, _ in ordered)
    lines += ["Groups:", "", *(f"- {to_section(title)}" for title in titles)]
    lines += ["", f"`<paths>` are one or more paths: {_code(PATHS)}."]
    for text, rows in ordered:
        head, _, notes = text.partition("\n")
        title, _, about = head.partition(": ")
        lines += ["", f"## {title.rstrip('.')}", *([""] * bool(about)), *filter(None, [about[:1].upper() + about[1:]])]
        table = (f"| {'<br>'.join(syntaxes)} | {_cell(summary)} |" for syntaxes, summary in rows.values())
        lines += ["", "| command | description |", "|---|---|", *table]
        lines += ["", *_items(notes)] if notes.strip() else []
    return "\n".join([*lines, "", "`python -m manual references docs` writes this page from the code.", ""])


def to_section(title: str) -> str:
    """A link to the section of that title on the same page."""
    return f"[{title}](#{re.sub(r'[^a-z0-9 -]', '', title.lower()).replace(' ', '-')})"


def _in_table(syntax: str) -> str:
    return syntax.replace(PATHS, "<paths>").replace("|", "\\|")


def _items(notes: str) -> Iterator[str]:
    """Items of a list in a docstring, each as one line."""
    for item in re.split(r"\n(?=- )", notes.strip()):
        yield " ".join(item.split())


def causes_table() -> str:
    """docs/causes.md: table of the causes of `explain`, from the head comments of their files."""
    lines = ["# Causes that explain distinguishes", "", "How they are weighted: [explain.md](explain.md).", ""]
    lines += ["| cause | description and evidence |", "|---|---|"]
    for name, text in sorted(contracts().items()):
        linked = re.sub(r"docs/([a-z-]+\.md)", r"[\1](\1)", " ".join(text.split()))
        lines.append(f"| `{name}` | {linked} |")
    return "\n".join([*lines, "", "`python -m manual references docs` writes this page from the code.", ""])


def causes_page() -> str:
    """The site's page of causes, with a section for each."""
    lines = ["# The causes that explain knows", "", "How they are ranked: [explain](../docs/explain.md).", ""]
    for name, text in contracts().items():
        lines += [f"## {name}", "", *(_safe(" ".join(part.split())) + "\n" for part in text.split("\n\n"))]
    return "\n".join(lines)


def _table(what: str, entries: Sequence[Entry]) -> list[str]:
    rows = [f"| {_code(entry.text)} | {_cell(entry.help)} |" for entry in entries]
    return [f"| {what} | description |", "|---|---|", *rows]


def _code(text: str) -> str:
    return f"`{text}`"


def _cell(text: str) -> str:
    return _safe(text).replace("|", "\\|")


def _safe(text: str) -> str:
    """Text with Markdown's special characters escaped, except in code in backquotes."""
    parts = text.split("`")
    return "`".join(part if index % 2 else re.sub(r"([*_\[\]<>])", r"\\\1", part) for index, part in enumerate(parts))
