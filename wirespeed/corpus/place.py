"""Location of an archive, from the command line: a folder, or a PostgreSQL database and a folder of files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit

from wirespeed.errors import UsageError
from wirespeed.renamed import environment

ENVIRONMENT, FORMER_ENVIRONMENT = "WIRESPEED_RESULTS", "WIRESPEED_CORPUS"
_POSTGRESQL = ("postgresql", "postgres")


@dataclass(frozen=True)
class CorpusPlace:
    """`database` is SQLAlchemy's URL of the index; the files of results lie below `folder`. `name` is what messages
    call it, without a password."""

    database: str
    folder: Path
    name: str

    @property
    def is_postgresql(self) -> bool:
        return self.database.startswith("postgresql")


def default_folder() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "wirespeed" / "corpus"


def own_corpus() -> str:
    """The user's own: $WIRESPEED_RESULTS, or else a folder."""
    return environment(ENVIRONMENT, FORMER_ENVIRONMENT) or str(default_folder())


def parse_place(text: str) -> CorpusPlace:
    """`FOLDER`, or `postgresql://USER@HOST/DATABASE?files=FOLDER`; empty is the user's own. UsageError for another kind
    of database."""
    text = text or own_corpus()
    if "://" not in text:
        folder = Path(text).expanduser()
        return CorpusPlace(f"sqlite:///{(folder / 'index.sqlite').absolute()}", folder, str(folder))
    parts = urlsplit(text)
    if parts.scheme not in _POSTGRESQL:
        raise UsageError(
            f"archive {parts.scheme}://… cannot be used: give a folder, or postgresql://USER@HOST/DATABASE?files=FOLDER"
        )
    if not parts.path.strip("/"):
        raise UsageError(f"archive {parts.scheme}://{parts.hostname or ''} names no database: give …/DATABASE")
    words = parse_qs(parts.query)
    folders = words.pop("files", [str(default_folder())])
    query = "&".join(f"{key}={value}" for key, values in words.items() for value in values)
    database = urlunsplit(("postgresql+psycopg", parts.netloc, parts.path, query, ""))
    return CorpusPlace(database, Path(folders[-1]).expanduser(), f"postgresql://{parts.hostname or ''}{parts.path}")
