"""The index opened, and brought to the schema of this program by Alembic."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, OperationalError

from wirespeed.corpus.place import CorpusPlace
from wirespeed.errors import ConnectionFault, EnvironmentFault, FileFault

HEAD = "007"
"""The newest of migrations/versions."""
_BUSY_S = 60.0
_LEAST_BYTES = 1 << 16
_ADVISORY_LOCK = 0x77697265


def open_index(place: CorpusPlace) -> Engine:
    """The index of a corpus, made when there is none. ConnectionFault when the database is away, FileFault when it
    cannot be used or is of a newer program, EnvironmentFault without a driver for it."""
    engine = _engine(place)
    try:
        with engine.connect() as connection:
            found = _revision(connection)
        if found != HEAD:
            _upgrade(engine, place, found)
    except BaseException as error:
        engine.dispose()
        if isinstance(error, DBAPIError):
            raise fault_of(error, place) from None
        raise
    return engine


def fault_of(error: DBAPIError, place: CorpusPlace) -> ConnectionFault | FileFault:
    """Error message of a database, in a line. Only with PostgreSQL does it mean that the server did not answer."""
    said = str(error.orig).strip().splitlines()
    reason = said[0].strip() if said else type(error.orig).__name__
    if place.is_postgresql and (isinstance(error, OperationalError) or error.connection_invalidated):
        return ConnectionFault(f"the database of archive {place.name} does not answer: {reason}")
    if _is_full(place.folder):  # which SQLite tells as an error of the disk
        reason = "No space left on device; make room and try again"
    return FileFault(f"the index of archive {place.name} cannot be used: {reason}")


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _LEAST_BYTES
    except OSError:
        return False


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes: one at a time in SQLite, where others wait for it."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


def _engine(place: CorpusPlace) -> Engine:
    if place.is_postgresql:
        try:
            return create_engine(place.database, connect_args={"connect_timeout": 10})
        except (ImportError, NoSuchModuleError):
            raise EnvironmentFault(
                "PostgreSQL needs psycopg, which is not installed: "
                "pip install 'wirespeed[postgresql]', or tools/setup.sh postgresql in a checkout"
            ) from None
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"archive {place.folder} cannot be made: {error.strerror}; give another with --archive"
        raise FileFault(why) from None
    engine = create_engine(place.database, connect_args={"timeout": _BUSY_S})

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin below
        for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {line}")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A reader that turns writer would find its view out of date, and that is an error which no waiting mends.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def _upgrade(engine: Engine, place: CorpusPlace, revision: str | None) -> None:
    from alembic import command  # noqa: PLC0415 - slow, and needed once in a corpus' life
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        raise FileFault(
            f"archive {place.name} was written by a newer wirespeed (schema {revision}; this one knows up to {HEAD}): "
            "update this one"
        )
    with _alone(place), writing(engine) as connection:
        if place.is_postgresql:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        if _revision(connection) == HEAD:
            return  # another process was faster
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _alone(place: CorpusPlace) -> Iterator[None]:
    place.folder.mkdir(parents=True, exist_ok=True)
    with (place.folder / "schema.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
