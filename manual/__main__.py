"""Write generated documentation into a folder: `python -m manual man|completion|site|references FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from manual.commands import pages
from manual.completion import bash, zsh
from manual.man import man_pages
from manual.markdown import causes_table, overview_page, router_commands_page
from manual.metrics import metrics_page
from manual.profiles import profiles_page
from manual.result_format import result_format_page
from manual.site import write_site
from wirespeed.router.commands import GRAMMAR
from wirespeed.validation import proved


def main(what: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if what == "man":
        for name, text in man_pages(pages()).items():
            (folder / name).write_text(text)
    elif what == "completion":
        (folder / "wirespeed.bash").write_text(bash(pages()))
        (folder / "_wirespeed").write_text(zsh(pages()))
    elif what == "site":
        write_site(Path(__file__).resolve().parents[1], folder, pages())
    elif what == "references":
        (folder / "commands.md").write_text(overview_page(pages()))
        (folder / "causes.md").write_text(causes_table())
        (folder / "result-format.md").write_text(result_format_page())
        (folder / "validation.md").write_text(proved.page())
        readme = folder.parent / "README.md"
        readme.write_text(proved.with_readme_lines(readme.read_text()))
        (folder / "metrics.md").write_text(metrics_page())
        (folder / "profiles.md").write_text(profiles_page())
        (folder / "router-commands.md").write_text(router_commands_page(GRAMMAR.commands()))
    else:
        sys.exit(
            f"python -m manual: {what!r} cannot be written; give man, completion, site or references, and a folder"
        )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("python -m manual: give man, completion, site or references, and a folder")
    main(sys.argv[1], Path(sys.argv[2]))
