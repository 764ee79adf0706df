"""The archive on both kinds of database: added results are there exactly once and stay, even if the program is
killed.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command as alembic
from alembic.config import Config
from harness.programs import wirespeed
from postgresql_server import PostgresqlServer, missing
from report_cases import GOLDEN, OURS
from report_kinds import search_of, soak_of, suite_of
from sqlalchemy import create_engine, text

from wirespeed.cli.main import main
from wirespeed.corpus import schema
from wirespeed.corpus.corpus import Corpus
from wirespeed.corpus.opening import open_corpus
from wirespeed.corpus.place import CorpusPlace, parse_place
from wirespeed.corpus.schema import open_index
from wirespeed.corpus.words import parse_words
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.registry import kinds
from wirespeed.results.inspection import Inspection, inspection_to_json
from wirespeed.results.journal import Journal
from wirespeed.results.lab import MeterFacts

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with PostgresqlServer() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Value of --archive for an empty archive."""
    folder = tmp_path / "corpus"
    if request.param == "sqlite":
        return str(folder)
    server: PostgresqlServer = request.getfixturevalue("server")
    name = f"corpus{next(NUMBERS)}"
    server.create(name)
    return server.url(name, folder)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A result of each kind, one of trex-loadtest's, and an inspection."""
    folder = tmp_path / "results"
    folder.mkdir()
    shutil.copy(GOLDEN / "wirespeed.json", folder / "ours.json")
    shutil.copy(GOLDEN / "trex-loadtest.json", folder / "x553-bench-64b.json")
    write_file(search_of(tunables="size=imix"), folder / "search.json")
    write_file(suite_of(), folder / "suite.json")
    write_file(soak_of(seconds=3), folder / "soak.json")
    (folder / "box.json").write_text(inspection_to_json(Inspection("router", "2026-11-22T10:00:00Z", ())))
    return sorted(folder.iterdir())


def many(folder: Path, count: int, dut: str = "wirespeed") -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    document = json.loads(json.dumps(OURS))
    document["dut"]["name"] = dut
    for number in range(count):
        document["outcome"]["started"] = f"2026-11-22T10:00:{number:02d}+00:00"
        (folder / f"{dut}-{number}.json").write_text(json.dumps(document))
    return sorted(folder.iterdir())


def titles(corpus: Corpus, *words: str) -> list[str]:
    return [row["title"] for row in corpus.index.results(parse_words(words), "title").rows]


def test_results_of_all_kinds_are_kept_once_and_come_back_as_they_were(
    where: str, files: list[Path], tmp_path: Path
) -> None:
    with open_corpus(where) as corpus:
        first = corpus.add(files, "c0ffee", ("autumn",))
        again = corpus.add(files)
        assert (first.new, first.known, again.new, again.known) == (6, 0, 0, 6)
        assert titles(corpus) == ["box", "ours", "search", "soak", "suite", "x553-bench-64b"]
        kinds = {row["title"]: row["kind"] for row in corpus.index.results(()).rows}
        assert kinds["x553-bench-64b"] == "loadtest" and kinds["box"] == "inspect" and kinds["suite"] == "rfc2544"
        assert corpus.export(sorted(corpus.index.digests()), tmp_path / "out") == 6
    for file in files:
        assert (tmp_path / "out" / file.name).read_bytes() == file.read_bytes()


def test_what_people_ask(where: str, files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "add", *map(str, files), "--archive", where, "--build", "c0ffee11", "--tag", "autumn"]) == 0
    with open_corpus(where) as corpus:
        assert titles(corpus, "kind=search", "figure=NDR", "dut=ROUTER") == ["search"]
        assert titles(corpus, "build=c0ff*", "kind!=inspect", "load=*imix*") == ["search"]
        assert titles(corpus, "tag=aut*", "rate>=7M", "kind=search") == ["search"]
        assert titles(corpus, "IMIX") == titles(corpus, "imix", "kind=search") == ["search"]
        assert titles(corpus, "0ffee1") == titles(corpus, "utum") == titles(corpus)
        assert corpus.index.figures(parse_words(["imix"]), "dut").total == 2
        assert titles(corpus, "started>=2026-11-22", "started<=2026-11-22", "kind=search") == ["search"]
        assert titles(corpus, "100%") == titles(corpus, "a_b") == []  # no wildcards but *
        found = corpus.index.figures(parse_words(["kind=search"]), "-rate")
        assert found.total == 2 and found.rows[0]["rate_pps"] >= found.rows[1]["rate_pps"]
        best = corpus.index.figures((), "-rate", best="dut").rows
        assert len({row["dut"] for row in best}) == len(best) > 1
        verdict = verdict_of(search_of())
        wanted = verdict.limit.cause or verdict.limited_by
        assert titles(corpus, "kind=search", f"limit={wanted}") == ["search"]
        engine = open_index(corpus.place)
        with engine.begin() as connection:  # as an earlier version wrote it
            connection.execute(text("UPDATE results SET limited_by = 'steal' WHERE title = 'search'"))
        engine.dispose()
        assert titles(corpus, "limit=steal") == titles(corpus, "limit=preemption") == ["search"]
        assert "search" not in titles(corpus, "limit!=preemption")
        assert titles(corpus, "kind=search", "limit=host") == titles(corpus, "kind=search", "limit!=dut") == ["search"]
        assert titles(corpus, "kind=search", "limit=dut") == titles(corpus, "kind=search", "limit!=host") == []
    capsys.readouterr()
    assert main(["results", "query", "kind=search", "--json", "--archive", where]) == 0
    assert {row["figure"] for row in json.loads(capsys.readouterr().out)} == {"NDR", "PDR"}
    assert main(["results", "show", "search", "--archive", where]) == 0
    assert "PDR" in capsys.readouterr().out
    assert main(["results", "list", "--archive", where]) == 0
    assert "6 of 6" in capsys.readouterr().out
    assert main(["results", "list", "--json", "--archive", where]) == 0
    listed = {row["title"]: row["headline"] for row in json.loads(capsys.readouterr().out)}
    assert listed["box"] is None and listed["soak"] is None
    for title in ("ours", "search", "suite", "x553-bench-64b"):
        shown = verdict_of(read_file(next(file for file in files if file.stem == title))).shown
        told = listed[title]
        assert (told["figure"], told["rate_pps"], told["bound"]) == (shown.name, shown.rate_pps, shown.bound), title
        assert told["irregular"] or told["mark"] == shown.mark


def test_a_word_finds_builds_and_tags_that_came_later(where: str, files: list[Path]) -> None:
    with open_corpus(where) as corpus:
        corpus.add(files)
        corpus.add(files[:2], "C0FFEE")
        corpus.add(files[:3], "deadbeef", ("Ärmel",))
        found = [file.stem for file in files]
        assert (titles(corpus, "c0ffee"), titles(corpus, "deadbeef")) == (found[:2], found[2:3])
        assert titles(corpus, "rmel") == found[:3]
        corpus.index.untag(sorted(corpus.index.digests()), "Ärmel")
        assert titles(corpus, "rmel") == []


def test_watts_make_the_best_dut_per_watt(where: str, tmp_path: Path) -> None:
    for dut, watts in (("thrifty", 10.0), ("thirsty", 40.0)):
        result = search_of(name=dut, described={"name": dut, "version": "1"})
        trials = tuple(
            replace(one, trial=replace(one.trial, dut=replace(one.trial.dut, watts=watts))) for one in result.trials
        )
        lab = replace(result.lab, power=MeterFacts(f"constant:{watts:g}", "router"))
        write_file(replace(result, trials=trials, lab=lab), tmp_path / f"{dut}.json")
    with open_corpus(where) as corpus:
        corpus.add([tmp_path / "thirsty.json", tmp_path / "thrifty.json"])
        best = corpus.index.figures(parse_words(["figure=NDR"]), "-per_watt", best="dut").rows
        assert [row["dut"] for row in best] == ["thrifty", "thirsty"]
        assert best[0]["per_watt"] == pytest.approx(4 * best[1]["per_watt"])


def test_tags_come_and_go_and_what_is_unwanted_is_collected(where: str, files: list[Path]) -> None:
    with open_corpus(where) as corpus:
        corpus.add(files)
    at = ["--archive", where]
    assert main(["results", "tag", "discard", "soak", "suite", *at]) == 0
    assert main(["results", "tag", "discard", "suite", "--remove", *at]) == 0
    assert main(["results", "gc", *at]) == 0
    with open_corpus(where) as corpus:
        assert titles(corpus) == ["box", "ours", "search", "suite", "x553-bench-64b"]
        assert len(list(corpus.store.digests())) == 5


@pytest.mark.parametrize("writers", [2, pytest.param(10, marks=pytest.mark.long("ten writers on both databases"))])
def test_writers_at_once_lose_nothing_and_keep_nothing_twice(where: str, writers: int, tmp_path: Path) -> None:
    folders = [tmp_path / f"of{number}" for number in range(writers)]
    for number, folder in enumerate(folders):
        many(folder, 6, f"box{number}")
        many(folder, 4, "shared")  # by all of them
    words = wirespeed("results", "add", "--archive", where, "--tag", "t")
    started = [
        subprocess.Popen([*words, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for folder in folders
    ]
    for writer in started:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors.decode()
    with open_corpus(where) as corpus:
        found = corpus.index.results(())
        assert found.total == 6 * writers + 4 and all(row["tags"] == ("t",) for row in found.rows)
        assert corpus.index.figures(()).total == sum(
            corpus.index.figures(parse_words([f"id={row['digest']}"])).total for row in found.rows
        )
        assert corpus.verify().is_whole
        assert not list((corpus.place.folder / "spool").iterdir())


@pytest.mark.parametrize("moment", ["file", "note", "row"])
def test_a_kill_between_file_and_row_loses_nothing(where: str, tmp_path: Path, moment: str) -> None:
    """The program is killed once the first file, the note, or the rows are written: the next run finds everything."""
    (file,) = many(tmp_path / "new", 1)
    after = {
        "file": "wirespeed.corpus.store.Store.put",
        "note": "wirespeed.corpus.corpus.Corpus._write_spool",
        "row": "wirespeed.corpus.index.Index.add",
    }[moment]
    program = f"""
import os, pkgutil, sys
owner, _, name = {after!r}.rpartition(".")
kind = pkgutil.resolve_name(owner.rpartition(".")[0] + ":" + owner.rpartition(".")[2])
real = getattr(kind, name)
def killed(*given, **named):
    found = real(*given, **named)
    if name != "add" or given[1]:
        os.kill(os.getpid(), 9)
    return found
setattr(kind, name, killed)
from wirespeed.cli.main import main
main(sys.argv[1:])
"""
    words = ["results", "add", str(file), "--build", "b1", "--tag", "t1", "--archive", where]
    assert subprocess.run([sys.executable, "-c", program, *words], check=False).returncode == -signal.SIGKILL
    with open_corpus(where) as corpus:
        if moment == "file":
            assert corpus.verify().unindexed == (file.stem,)
            assert main(words) == 0  # notes about it are added, too
        (row,) = corpus.index.results(()).rows
        assert (row["title"], row["build"], row["tags"]) == (file.stem, "b1", ("t1",))
        assert corpus.verify().is_whole
        assert not list((corpus.place.folder / "spool").iterdir())


def test_a_half_copied_corpus_is_told_and_mended(
    where: str, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with open_corpus(where) as corpus:
        corpus.add(files)
        gone, torn, swapped, *_ = (corpus.store.path(digest) for digest in sorted(corpus.index.digests()))
    kept = gone.read_bytes()
    gone.unlink()
    torn.write_bytes(torn.read_bytes()[:50])
    swapped.write_bytes(gzip.compress(b"{}"))
    assert main(["results", "verify", "--archive", where]) == 6
    said = capsys.readouterr()
    assert said.err.count("is missing") == 3 and said.err.count("damaged") >= 2 and "3 results" in said.out
    gone.write_bytes(kept)
    assert main(["results", "verify", "--archive", where]) == 6
    assert "has its file again" in capsys.readouterr().out
    assert main(["results", "add", *map(str, files), "--archive", where]) == 0
    assert main(["results", "verify", "--archive", where]) == 0
    with open_corpus(where) as corpus:
        assert corpus.index.results(()).total == 6


def test_an_index_that_is_lost_is_made_again_from_the_files(tmp_path: Path, files: list[Path]) -> None:
    where = str(tmp_path / "corpus")
    with open_corpus(where) as corpus:
        corpus.add(files)
    for path in (tmp_path / "corpus").glob("index.sqlite*"):
        path.unlink()
    with open_corpus(where) as corpus:
        assert (corpus.add(files[:2]).new, len(corpus.verify().unindexed)) == (2, 4)
        assert titles(corpus) == sorted(file.stem for file in files)


def test_a_database_that_is_away_costs_nothing(
    server: PostgresqlServer, tmp_path: Path, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    server.create("away")
    where = server.url("away", tmp_path / "corpus")
    server.stop()
    assert main(["results", "add", *map(str, files), "--build", "b7", "--archive", where]) == 4
    said = capsys.readouterr().err
    assert "does not answer" in said and "6 results wait in" in said and said.count("\n") == 1
    assert main(["results", "list", "--archive", where]) == 4
    server.start()
    capsys.readouterr()
    assert main(["results", "list", "build=b7", "--archive", where]) == 0
    assert "6 of 6" in capsys.readouterr().out


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    point = tmp_path / "small"
    point.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(point)], check=True)
    yield point
    subprocess.run(["umount", str(point)], check=True)


def test_a_full_disk_is_told_and_what_was_kept_stays(
    small_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = str(small_disk / "corpus")
    some = many(tmp_path / "new", 40)
    assert main(["results", "add", *map(str, some[:2]), "--archive", where]) == 0
    filler = small_disk / "filler"
    with pytest.raises(OSError):
        filler.write_bytes(b"x" * (400 << 10))
    assert main(["results", "add", *map(str, some), "--archive", where]) == 6
    assert "No space left" in capsys.readouterr().err
    filler.unlink()
    assert main(["results", "verify", "--archive", where]) == 0
    with open_corpus(where) as corpus:
        assert titles(corpus)[:1] == ["wirespeed-0"]
        assert corpus.add(some).new + corpus.index.results(()).total >= 40
        assert corpus.index.results(()).total == 40


def test_a_schema_of_the_future_is_refused(where: str, files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    with open_corpus(where) as corpus:
        corpus.add(files[:1])
    engine = create_engine(parse_place(where).database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '999'"))
    engine.dispose()
    assert main(["results", "list", "--archive", where]) == 6
    assert "written by a newer wirespeed (schema 999" in capsys.readouterr().err


def test_an_archive_with_the_former_name_of_its_duts_keeps_them(
    where: str, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with open_corpus(where) as corpus:
        corpus.add(files)
        before = sorted(row["dut"] for row in corpus.index.results(()).rows)
        named = titles(corpus, "ROUTER")
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    engine = create_engine(parse_place(where).database)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        alembic.downgrade(config, "003")
        former = connection.execute(text("SELECT box FROM results")).scalars()
        assert sorted("unnamed" if name == "unknown" else name for name in former) == before and "unnamed" in before
    engine.dispose()
    for key in ("dut", "box"):
        words = ["results", "query", f"{key}=router", "--sort", key, "--best", key, "--json", "--archive", where]
        assert main(words) == 0
        (row,) = json.loads(capsys.readouterr().out)
        assert row["dut"] == "router" and "box" not in row
    with open_corpus(where) as corpus:
        assert titles(corpus, "ROUTER") == named != []


def test_the_head_is_the_newest_migration_and_makes_the_tables_that_are_asked(where: str) -> None:
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415 - slow
    from alembic.migration import MigrationContext  # noqa: PLC0415

    from wirespeed.corpus.tables import METADATA  # noqa: PLC0415

    engine = schema.open_index(parse_place(where))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_what_is_no_result_is_left_out_and_told(
    where: str, files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.json").write_text('{"schema": "wirespeed-loadtest/2", "stats"')
    (tmp_path / "other.json").write_text("[]")
    given = [*map(str, files[:2]), str(tmp_path / "broken.json"), str(tmp_path / "other.json")]
    assert main(["results", "add", *given, str(tmp_path / "none.json"), "--archive", where]) == 6
    said = capsys.readouterr()
    assert "2 results added" in said.out
    assert said.err.count("\n") == 4 and "3 files could not be added" in said.err


@pytest.mark.parametrize("verb", ["list", "query", "verify", "gc", "show 1", "export out", "site out"])
def test_an_archive_is_only_made_by_add(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["results", *verb.split(), "--archive", "nope"]) == 6
    assert "there is no archive nope; `wirespeed results add` makes one" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_journal_that_is_not_there_and_a_folder_without_results_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where, path = str(tmp_path / "corpus"), tmp_path / "x.json.part"
    assert main(["results", "add", str(path), "--archive", where]) == 6
    assert f"journal {path} cannot be read: No such file or directory\n" in capsys.readouterr().err
    path.mkdir()
    assert main(["results", "add", str(path), "--archive", where]) == 6
    assert f"folder {path} contains no result file (*.json)" in capsys.readouterr().err


@pytest.mark.parametrize("kind", kinds())
def test_the_journal_of_a_test_that_did_not_end_is_left_out_with_the_command_that_makes_a_result_of_it(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where, path = str(tmp_path / "corpus"), tmp_path / "x.json.part"
    journal = Journal(path)
    journal.begin(kind, {})
    assert main(["results", "add", str(path), "--archive", where]) == 6
    assert f"{path} is the journal of a test that did not end: it holds no measurement\n" in capsys.readouterr().err
    journal.add({})
    journal.close()
    assert main(["results", "add", str(path), "--archive", where]) == 6
    command = f"wirespeed {kind} --recover {tmp_path / 'x.json'}"
    assert f"make a result of it with `{command}`\n" in capsys.readouterr().err
    _, *words = command.split()
    assert main(words) == 6
    assert "no head" not in (said := capsys.readouterr().err) and str(path) in said


def test_many_files_are_read_by_several_processes_with_the_same_outcome(tmp_path: Path) -> None:
    some = many(tmp_path / "new", 60) * 7  # over the limit, and each several times
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        added = corpus.add(some)
        assert (added.new, added.known) == (60, 360)
        assert corpus.verify().results == 60


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "dud=x"], "there is no 'dud', did you mean dut?"),
        (["list", "rate>=fast"], "'fast' is not a number"),
        (["list", "dut>=a"], ">= compares rate"),
        (["list", "rate>5M"], "give rate>=5M"),
        (["query", "--sort", "weight"], "--sort weight: there is no 'weight'"),
        (["list", "--sort", "-rate"], "list shows results"),
        (["list", "--best", "dut"], "results list takes no --best, which is an option of results query"),
        (["show"], "Missing argument 'ID'"),
        (["tag", "x"], "Missing argument 'ID...'"),
        (["show", "nothing"], "has no result 'nothing'"),
        (["list", "--archive", "mysql://a/b"], "archive mysql://… cannot be used"),
        (["list", "--archive", "postgresql://a"], "names no database"),
    ],
)
def test_words_that_cannot_be_used(
    tmp_path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [] if "--archive" in words else ["--archive", str(tmp_path)]
    assert main(["results", *words, *more]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_a_folder_that_cannot_be_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    assert main(["results", "list", "--archive", str(tmp_path / "file")]) == 6
    assert "cannot be made" in capsys.readouterr().err
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "index.sqlite").write_bytes(b"no database at all" * 100)
    assert main(["results", "list", "--archive", str(tmp_path / "corpus")]) == 6
    assert "cannot be used" in capsys.readouterr().err


def searches(folder: Path, prefix: str, rates: list[float]) -> list[Path]:
    folder.mkdir(exist_ok=True)
    one, found = search_of(), []
    for number, rate in enumerate(rates):
        goals = tuple(replace(goal, lower_pps=rate) for goal in one.goals)
        ending = replace(one.ending, started=f"2026-11-22T10:{len(list(folder.iterdir())):02d}:00+00:00")
        found.append(folder / f"{prefix}-{number}.json")
        write_file(replace(one, goals=goals, ending=ending), found[-1])
    return found


def test_compare_takes_tags_builds_and_a_series_by_build(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_corpus(where) as corpus:
        for build, mean in (("aaaa1111", 7e6), ("bbbb2222", 7.02e6), ("cccc3333", 6e6)):
            rates = [mean * (1 + 0.001 * step) for step in (-1, 0, 1, 0)]
            corpus.add(searches(tmp_path / "runs", build, rates), build, (f"{build[0]}-tagged",))
    at = ["--archive", where]
    assert main(["compare", "aaaa", "c-tagged", "--format", "csv", *at]) == 7
    assert "worse" in capsys.readouterr().out
    assert main(["compare", "aaaa1111", "bbbb2222", "--format", "csv", *at]) == 0
    assert ",same," in capsys.readouterr().out
    assert main(["compare", "--trend", "figure=NDR", *at]) == 0
    assert "from cccc3333 on" in capsys.readouterr().out
    assert main(["compare", "aaaa", "nothing", *at]) == 6
    assert "tag, build or title" in capsys.readouterr().err


def test_place_names_hide_passwords() -> None:
    place = parse_place("postgresql://me:secret@db.lab/results?files=/srv/corpus&sslmode=require")
    assert place == CorpusPlace(
        "postgresql+psycopg://me:secret@db.lab/results?sslmode=require",
        Path("/srv/corpus"),
        "postgresql://db.lab/results",
    )


def test_a_database_that_is_away_is_waited_for_once(
    server: PostgresqlServer, tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.create("absent")
    where = server.url("absent", tmp_path / "corpus")
    server.stop()
    tried = []
    real = schema.open_index
    monkeypatch.setattr("wirespeed.corpus.index.open_index", lambda place: tried.append(place) or real(place))
    try:
        with open_corpus(where) as corpus:
            assert [corpus.add([file]).waiting for file in files] == [1] * len(files)
        assert len(tried) == 1
    finally:
        server.start()
    with open_corpus(where) as corpus:
        assert corpus.index.results(()).total == len(files)


def test_figures_of_an_older_index_become_those_of_the_verdict(tmp_path: Path) -> None:
    """Rates of a search were per direction, the best second of a load test was stored, and the watts of all figures
    were those of the highest load.
    """
    folder = tmp_path / "old"
    folder.mkdir()
    engine = create_engine(f"sqlite:///{folder / 'index.sqlite'}")
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        alembic.upgrade(config, "001")
        for number, kind in enumerate(("loadtest", "search"), start=1):
            texts = "'', '', '', '', '', '', '', '0→1, 1→0', '', '', ''"
            connection.exec_driver_sql(
                f"INSERT INTO results VALUES ({number}, '{number}', '{kind}', {texts}, NULL, 0, 0)"
            )
        rows = [(1, "held", 3e6, 1), (1, "most received", 9e6, 0), (2, "NDR", 2e6, 0), (2, "PDR", 3e6, 0)]
        for result, figure, rate, at_least in rows:
            connection.exec_driver_sql(
                "INSERT INTO figures VALUES (NULL, ?, ?, ?, ?, '', ?)", (result, figure, rate, at_least, rate / 10)
            )
    engine.dispose()
    found = open_index(parse_place(str(folder)))
    with found.connect() as connection:
        told = connection.exec_driver_sql(
            "SELECT figure, rate_pps, per_watt, bound, mark FROM figures ORDER BY id"
        ).all()
    found.dispose()
    assert [tuple(row) for row in told] == [
        ("forwarded", 3e6, 3e5, "tester-limited", "at least"),
        ("NDR", 4e6, None, "", "held"),
        ("PDR", 6e6, 6e5, "", "held"),
    ]
