"""Pages of the site in a folder that is laid out like the checkout, so that links need no change.

The order of the pages is that of `docs/README.md`. Other files that pages link to (pictures, examples) are copied.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from manual.commands import Page
from manual.markdown import causes_page, command_page, commands_page

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_IMAGE = re.compile(r'<img src="([^"]+)"')
_FOLDER_LINK = re.compile(r"(\]\((?:[\w.-]+/)+)\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def links(text: str) -> Iterator[str]:
    """Files and folders that a page links to, without links within the page and links to other machines."""
    written = _CODE.sub("", text)
    for target in [*_LINK.findall(written), *_IMAGE.findall(written)]:
        if "://" not in target and not target.startswith(("mailto:", "#")):
            yield target.partition("#")[0]


def missing_links(page: Path) -> list[str]:
    """Links of a page of the checkout that lead to no file or folder."""
    return [target for target in links(page.read_text()) if not (page.parent / target).exists()]


def write_site(root: Path, folder: Path, commands: Sequence[Page]) -> None:
    """Fill `folder` with `pages/` and the `mkdocs.yml` that makes a site of them."""
    shutil.rmtree(folder / "pages", ignore_errors=True)
    pages = folder / "pages"
    sources = [root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md", *(root / "docs").rglob("*.md")]
    for source in sources:
        text = source.read_text()
        _write(pages / source.relative_to(root), _FOLDER_LINK.sub(r"\1README.md)", text))
        for target in links(text):
            linked = Path(os.path.normpath(source.parent / target))
            if linked.is_dir():
                for path in filter(Path.is_file, linked.iterdir()):
                    _place(root, pages, path)
            elif linked.suffix != ".md":
                _place(root, pages, linked)
    _write(pages / "reference" / "commands" / "README.md", commands_page(commands))
    for page in commands:
        _write(pages / "reference" / "commands" / f"{page.name}.md", command_page(page))
    _write(pages / "reference" / "causes.md", causes_page())
    for linked_folder in sorted({path.parent for path in pages.rglob("*") if path.is_file()}):
        if not (linked_folder / "README.md").exists():
            _write(linked_folder / "README.md", _folder_page(linked_folder))
    _write(folder / "mkdocs.yml", yaml.safe_dump(_settings(root, commands), sort_keys=False, allow_unicode=True))


def page_order(root: Path) -> list[str]:
    """Pages in docs/ in the order of docs/README.md, followed by those that it does not name."""
    told = [
        target for target in links((root / "docs" / "README.md").read_text()) if re.fullmatch(r"[\w-]+\.md", target)
    ]
    rest = sorted(path.name for path in (root / "docs").glob("*.md") if path.name != "README.md")
    return list(dict.fromkeys([*told, *rest]))


def _settings(root: Path, commands: Sequence[Page]) -> dict[str, Any]:
    develop = sorted(path.name for path in (root / "docs" / "develop").glob("*.md"))
    folder = "docs/develop/decisions"
    decisions = sorted(path.name for path in (root / "docs" / "develop" / "decisions").glob("*.md"))
    return {
        "site_name": "wirespeed",
        "site_description": "Measure what a router really forwards, and explain why.",
        "docs_dir": "pages",
        "site_dir": "html",
        "theme": {
            "name": "material",
            "font": False,
            "features": ["navigation.indexes", "navigation.tabs", "content.code.copy", "search.highlight"],
        },
        "plugins": ["search"],
        "markdown_extensions": ["tables", "fenced_code", "attr_list", "sane_lists", {"toc": {"permalink": True}}],
        "validation": {
            "nav": {"omitted_files": "ignore"},
            "links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"},
        },
        "nav": [
            {"wirespeed": "README.md"},
            {"Pages": ["docs/README.md", *(f"docs/{name}" for name in page_order(root))]},
            {
                "Commands": [
                    "reference/commands/README.md",
                    *({page.name: f"reference/commands/{page.name}.md"} for page in commands),
                ]
            },
            {"Causes": "reference/causes.md"},
            {"Develop": [f"docs/develop/{name}" for name in develop]},
            {"Decisions": [f"{folder}/README.md", *(f"{folder}/{name}" for name in decisions)]},
            {"Contributing": "CONTRIBUTING.md"},
        ],
    }


def _folder_page(folder: Path) -> str:
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "README.md")
    rows = [f"- [{_title(path)}]({path.name})" for path in files]
    return "\n".join([f"# {folder.name.capitalize()}", "", *rows, ""])


def _title(path: Path) -> str:
    heading = re.match(r"# (.+)", path.read_text()) if path.suffix == ".md" else None
    return heading[1] if heading else path.name


def _place(root: Path, pages: Path, source: Path) -> None:
    target = pages / source.relative_to(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
