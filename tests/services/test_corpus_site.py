"""`wirespeed results site`: all links work, all pages are valid, only changed pages are made again, and the old site
stays until the new one is complete.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from harness.page_results import all_kinds, written
from report_cases import GOLDEN, OURS
from report_kinds import search_of, soak_of, suite_of
from site_pages import broken_links, invalid, linked, pages, parsed

from wirespeed.cli.main import main
from wirespeed.corpus.opening import open_corpus
from wirespeed.measurement.file import write_file
from wirespeed.pages.trust import LEGEND
from wirespeed.results.inspection import CommandOutput, Inspection, InspectionTable, Remarked, inspection_to_json
from wirespeed.results.lab import MeterFacts
from wirespeed.site import names
from wirespeed.site.build import build
from wirespeed.site.manifest import NAME

HOSTILE = '</title><script>window.hostile = 1</script><b onclick="x">&amp; "../..'
LSPCI = "00:00.0 Host bridge\n01:00.0 <b>Ethernet</b> controller\n"


def search(folder: Path, name: str, *, dut: str = "router", factor: float = 1.0, minute: int = 0, **described) -> Path:
    """A search with watts, for a DUT whose testbed file has its price."""
    found = search_of(described={"name": dut, "version": "1", "commands": ["set <b> up"], **described})
    trials = tuple(
        replace(one, trial=replace(one.trial, dut=replace(one.trial.dut, watts=17.0))) for one in found.trials
    )
    goals = tuple(replace(goal, lower_pps=goal.lower_pps * factor) for goal in found.goals)
    ending = replace(found.ending, started=f"2026-11-22T{10 + minute // 60:02d}:{minute % 60:02d}:00+00:00")
    lab = replace(found.lab, power=MeterFacts("constant:17", "router", 12.0, "said"))
    folder.mkdir(parents=True, exist_ok=True)
    write_file(replace(found, trials=trials, goals=goals, ending=ending, lab=lab), folder / f"{name}.json")
    return folder / f"{name}.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`corpus`, with a result of each kind, an inspection, a series with a step, and names with markup; and
    its `site`.
    """
    base = tmp_path_factory.mktemp("made")
    folder = base / "results"
    folder.mkdir()
    shutil.copy(GOLDEN / "wirespeed.json", folder / "ours.json")
    shutil.copy(GOLDEN / "trex-loadtest.json", folder / "x553-bench-64b.json")
    write_file(suite_of(), folder / "suite.json")
    write_file(soak_of(seconds=3), folder / "soak.json")
    inspected = Inspection(
        "router",
        "2026-11-22T10:00:00Z",
        (InspectionTable("Machine", ("What", "Is"), (("CPU", "Atom <b>E3950</b>"),)),),
        marks=(Remarked("memory", "one module"),),
        texts={"lspci": CommandOutput(LSPCI), "dmesg": CommandOutput("")},
    )
    (folder / "box.json").write_text(inspection_to_json(inspected))
    hostile = json.loads(json.dumps(OURS))
    hostile["dut"] |= {"name": HOSTILE, "texts": {"show run": "Thread 1 </pre><script>"}}
    hostile["vars"]["tunables"] = HOSTILE
    (folder / "a <b>&amp;.json").write_text(json.dumps(hostile))
    at = str(base / "corpus")
    bench = {"description": {"dut": "router", "price": "400 EUR", "date": "2026-11-01"}}
    with open_corpus(at) as corpus:
        corpus.add(sorted(folder.iterdir()), "c0ffee", ("autumn",))
        for number, factor in enumerate((1.0, 1.002, 0.999, 1.001, 0.88, 0.881, 0.879, 0.88)):
            file = search(base / "series", f"run-{number}", factor=factor, minute=10 * number, **bench)
            corpus.add([file], "aaaa1111" if number < 4 else "bbbb2222")
    assert main(["results", "site", str(base / "site"), "--archive", at, "--title", "Boxes <b>here</b>"]) == 0
    return base


@pytest.fixture
def where(made: Path, tmp_path: Path) -> str:
    """A copy of the corpus."""
    return str(shutil.copytree(made / "corpus", tmp_path / "corpus", symlinks=True))


@pytest.fixture
def site(made: Path, where: str, tmp_path: Path) -> Path:
    """A copy of the site, beside that of its corpus."""
    return Path(shutil.copytree(made / "site", tmp_path / "site", symlinks=True))


def times(site: Path) -> dict[str, int]:
    return {
        str(path.relative_to(site)): path.stat().st_mtime_ns
        for path in site.rglob("*")
        if path.is_file() and path.name != NAME and path.parent.name != "assets"
    }


def test_a_page_with_signs_explains_them(tmp_path: Path) -> None:
    """The page of a DUT without any rate, too."""
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        corpus.add(written(all_kinds(), tmp_path / "results"))
        build(corpus, tmp_path / "site", "Routers")
    signs = {}
    for page in pages(tmp_path / "site"):
        if page.parent.name != "results":  # a report explains what it has
            text = page.read_text()
            explained = text.count(f"<b>{LEGEND[0].shape}\u00a0{LEGEND[0].word}</b>: ")
            signs[page] = [text.count(one.shape) for one in LEGEND], explained
    without_a_rate = next(page for page in signs if page.parent.name == "boxes" and "disturbed" in page.name)
    assert signs[without_a_rate][0][-1] > 1  # more often than in the explanation
    assert {page.name: found for page, (found, explained) in signs.items() if any(found) and explained != 1} == {}


def test_all_links_lead_somewhere_and_all_pages_are_valid(site: Path) -> None:
    found = pages(site)
    assert len(found) >= 14 + 3 + 2 * len({page.name for page in (site / "boxes").iterdir()})
    assert broken_links(site) == []
    assert {str(page.relative_to(site)): said for page in found if (said := invalid(page))} == {}
    assert {str(page.relative_to(site)) for page in found} - linked(site) == set()


def test_every_raw_result_is_linked_as_it_was_and_is_in_the_zip_of_its_dut(site: Path, where: str) -> None:
    with open_corpus(where) as corpus:
        rows = corpus.index.results(()).rows
        for row in rows:
            content, _ = corpus.store.get(row["digest"])
            raw = names.raw_file(row["digest"], row["title"])
            assert (site / raw).read_bytes() == content and raw in linked(site)
            with zipfile.ZipFile(site / names.archive(row["dut"])) as archive:
                members = [one for one in archive.namelist() if names.key(row["digest"]) in one]
                assert [archive.read(one) for one in members if one.endswith(".json")] == [content]
                (told,) = (archive.read(one).decode() for one in members if one.endswith(".txt"))
                assert ("wirespeed host show" if row["kind"] == "inspect" else f"wirespeed {row['kind']}") in told
        assert any("set <b> up" in _text_of(site, names.archive("router")) for _ in rows)


def _text_of(site: Path, archive: str) -> str:
    with zipfile.ZipFile(site / archive) as opened:
        return "".join(opened.read(one).decode() for one in opened.namelist() if one.endswith(".txt"))


def test_a_result_says_that_it_is_explained_from_its_file_alone(site: Path, where: str) -> None:
    with open_corpus(where) as corpus:
        kinds = {row["digest"]: row["kind"] for row in corpus.index.results(()).rows}
    noted = {kind: "from this file alone" in (site / names.result_page(one)).read_text() for one, kind in kinds.items()}
    assert noted == {kind: kind != "inspect" for kind in kinds.values()}
    assert "inspect" in noted and len(noted) > 1
    assert "from its own file alone" in (site / names.dut_page("router")).read_text()


def test_texts_that_results_carry_are_kept_and_linked(site: Path) -> None:
    texts = {path.read_text() for path in (site / "texts").iterdir()}
    assert LSPCI in texts and "Thread 1 </pre><script>" in texts and "" not in texts
    assert {f"texts/{path.name}" for path in (site / "texts").iterdir()} <= linked(site)
    hardware = (site / names.hardware_page("router")).read_text()
    assert "Atom &lt;b&gt;E3950" in hardware and "memory: one module" in hardware


def test_what_a_dut_page_says(site: Path) -> None:
    page = (site / names.dut_page("router")).read_text()
    text = re.sub(r"<[^>]*>", " ", page)
    assert re.search(r"since version bbbb2222: ▼.12\.\d.%, worse than aaaa1111", text)
    assert "worse (-12" in text and "than aaaa1111" in text
    assert "kpps per EUR" in text and "400 EUR, 2026-11-01" in page
    assert "17.0 W" in page and "12.0 W idle" in text
    home = (site / "index.html").read_text()
    assert "Boxes &lt;b&gt;here" in home and "13 results, 1 inspection" in home


def test_names_that_act_do_not(site: Path) -> None:
    for page in pages(site):
        text, found = page.read_text(), parsed(page)
        assert "<script>window.hostile" not in text and "onclick" not in found.inline
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", path.name) for path in site.rglob("*"))


def test_only_what_changed_is_made_anew_and_old_links_stay(
    site: Path, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = times(site)
    capsys.readouterr()
    again = ["results", "site", str(site), "--archive", where, "--title", "Boxes <b>here</b>"]
    assert main(again) == 0
    assert "13 results, 1 inspection, 0 new; 0 pages" in capsys.readouterr().out and times(site) == before
    with open_corpus(where) as corpus:
        corpus.add([search(tmp_path / "more", "later", dut="other", minute=300)], "dddd4444")
    assert main(again) == 0
    assert "14 results, 1 inspection, 1 new" in capsys.readouterr().out
    after = times(site)
    changed = {name for name in before if after.get(name) != before[name]}
    assert before.keys() <= after.keys()
    of_search = names.test_page("bench size=64", "0→1, 1→0")
    assert changed == {"index.html", "results.js", "boxes.html", "comparison.html", of_search}
    assert names.dut_page("other") in after and broken_links(site) == []
    with open_corpus(where) as corpus:
        corpus.add([search(tmp_path / "more", "latest", minute=301)], "dddd4444")
    assert main(again) == 0
    assert names.archive("router") in {name for name in after if times(site)[name] != after[name]}
    with zipfile.ZipFile(site / names.archive("router")) as archive:
        assert archive.testzip() is None and len(archive.namelist()) == len(set(archive.namelist()))
        assert any(name.startswith("latest-") for name in archive.namelist())
    assert broken_links(site) == []


def test_what_is_removed_goes_from_the_pages_and_the_zip(site: Path, where: str) -> None:
    assert main(["results", "tag", "discard", "run-7", "--archive", where]) == 0
    assert main(["results", "gc", "--archive", where]) == 0
    assert main(["results", "site", str(site), "--archive", where]) == 0
    assert broken_links(site) == [] and not list((site / "raw").glob("*run-7*"))
    with zipfile.ZipFile(site / names.archive("router")) as archive:
        assert not any(name.startswith("run-7-") for name in archive.namelist())


def test_a_part_of_a_corpus(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "site", str(tmp_path / "part"), "build=aaaa1111", "--archive", where]) == 0
    assert "4 results" in capsys.readouterr().out
    assert broken_links(tmp_path / "part") == []


def test_an_empty_corpus_has_a_site_too(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    assert main(["results", "site", str(tmp_path / "site"), "--archive", str(tmp_path / "corpus")]) == 0
    assert "has no result yet" in (tmp_path / "site" / "index.html").read_text()
    assert broken_links(tmp_path / "site") == []
    assert [said for page in pages(tmp_path / "site") for said in invalid(page)] == []


def test_results_without_a_whole_file_are_told_of_and_come_back(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_corpus(where) as corpus:
        gone, torn = (corpus.store.path(corpus.the_only(name)) for name in ("run-1", "run-2"))
    kept = gone.read_bytes()
    gone.unlink()
    torn.write_bytes(torn.read_bytes()[:50])
    again = ["results", "site", str(tmp_path / "site"), "--archive", where]
    assert main(again) == 6
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "missing or damaged and 1 more: the site lists them" in said
    assert "2 results of the archive have no whole file" in (tmp_path / "site" / "index.html").read_text()
    assert broken_links(tmp_path / "site") == []
    gone.write_bytes(kept)
    assert main(again) == 6
    assert "and 1 more" not in capsys.readouterr().err
    assert broken_links(tmp_path / "site") == []


def test_results_that_come_while_the_site_is_made_wait_for_the_next(where: str, tmp_path: Path) -> None:
    later = search(tmp_path / "more", "later", minute=300)
    added = []

    def on_result(done: int, total: int) -> None:
        if not added:
            with open_corpus(where) as other:
                added.append(other.add([later], "later"))

    with open_corpus(where) as corpus:
        assert build(corpus, tmp_path / "site", "x", on_result=on_result).counted == "13 results, 1 inspection"
        assert broken_links(tmp_path / "site") == []
        assert build(corpus, tmp_path / "site", "x").made == 1


@pytest.mark.parametrize("what", ["file", "folder", "link", "root"])
def test_what_is_no_site_is_not_replaced(
    what: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "mine"
    if what == "file":
        target.write_text("mine")
    elif what == "folder":
        target.mkdir()
        (target / "thesis.txt").write_text("mine")
    elif what == "link":
        (tmp_path / "elsewhere").mkdir()
        target.symlink_to(tmp_path / "elsewhere")
    given = "/" if what == "root" else str(target)
    assert main(["results", "site", given, "--archive", where]) == 2
    said = capsys.readouterr().err
    assert (said.count("\n") == 1 and "give a" in said) or "give the path of a new one" in said
    assert what != "folder" or (target / "thesis.txt").read_text() == "mine"
    assert not list(tmp_path.glob(".mine*"))


def test_the_old_site_stays_when_the_disk_is_full(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(small)], check=True)
    try:
        site = small / "site"
        assert main(["results", "site", str(site), "build=aaaa1111", "--archive", where]) == 0
        before = times(site)
        with pytest.raises(OSError):
            (small / "filler").write_bytes(b"x" * (4 << 20))
        capsys.readouterr()
        assert main(["results", "site", str(site), "--archive", where]) == 6
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "No space left on device; make room and try again" in said
        assert times(site) == before and broken_links(site) == []
        assert sorted(path.name for path in small.iterdir()) == ["filler", "site"]
    finally:
        subprocess.run(["umount", str(small)], check=True)


KILLED = """
import os, sys
import wirespeed.site.folder as folder
real = folder._exchange
def killed(new, target):
    if sys.argv[1] == "after":
        real(new, target)
    os.kill(os.getpid(), 9)
folder._exchange = killed
from wirespeed.cli.main import main
main(sys.argv[2:])
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_leaves_the_old_site_or_the_new_one(moment: str, site: Path, where: str, tmp_path: Path) -> None:
    before = times(site)
    with open_corpus(where) as corpus:
        corpus.add([search(tmp_path / "more", "later", minute=300)], "later")
    words = ["results", "site", str(site), "--archive", where]
    ended = subprocess.run([sys.executable, "-c", KILLED, moment, *words], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert broken_links(site) == []
    assert (times(site) == before) is (moment == "before")
    assert main(words) == 0
    assert "14 results, 1 inspection" in (site / "index.html").read_text() and broken_links(site) == []
    assert not list(site.parent.glob(".site*"))


def test_where_the_system_cannot_swap_two_folders(
    site: Path, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirespeed.site.folder._swapped", lambda new, target: False)
    with open_corpus(where) as corpus:
        corpus.add([search(tmp_path / "more", "later", minute=300)], "later")
    assert main(["results", "site", str(site), "--archive", where]) == 0
    assert "14 results, 1 inspection" in (site / "index.html").read_text() and broken_links(site) == []
    assert not [one for one in site.parent.iterdir() if one.name.startswith(".site")]


def test_what_lies_beside_a_site_is_neither_followed_nor_removed(where: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    (victim / "sub").mkdir(parents=True)
    (victim / "a.txt").write_text("precious")
    beside = tmp_path / "pub"
    beside.mkdir()
    for name in (".site.new", ".site.old", ".site.abcdefgh.new"):
        (beside / name).symlink_to(victim)
    for name in (".site.mine.new", ".site.ijklmnop.new", ".site.old.d"):
        (beside / name).mkdir()
        (beside / name / "mine.txt").write_text("mine")
    before = sorted(beside.rglob("*"))
    assert main(["results", "site", str(beside / "site"), "--archive", where]) == 0
    assert main(["results", "site", str(beside / "site"), "--archive", where]) == 0
    assert (victim / "a.txt").read_text() == "precious" and (victim / "sub").is_dir()
    site = beside / "site"
    assert sorted(path for path in beside.rglob("*") if site not in (path, *path.parents)) == before
    assert not site.is_symlink() and broken_links(site) == []


def test_two_makers_of_one_site_do_not_mix(site: Path, where: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = []

    def on_result(done: int, total: int) -> None:
        if not said:
            capsys.readouterr()
            assert main(["results", "site", str(site), "--archive", where]) == 2
            said.append(capsys.readouterr().err)

    (site / NAME).write_text("{}")  # so that all pages are made again
    with open_corpus(where) as corpus:
        build(corpus, site, "x", on_result=on_result)
    assert said[0].count("\n") == 1 and "is being written by another wirespeed" in said[0]
    assert broken_links(site) == []


def test_many_results_are_made_by_several_processes_with_the_same_outcome(tmp_path: Path) -> None:
    document = json.loads(json.dumps(OURS))
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(60):
        document["outcome"]["started"] = f"2026-11-22T10:00:{number:02d}+00:00"
        document["dut"]["name"] = f"box{number % 7}"
        (folder / f"same-{number % 3}.{number}.json").write_text(json.dumps(document))
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        corpus.add(sorted(folder.iterdir()))
        build(corpus, tmp_path / "site", "x")
        digests = corpus.index.digests()
    assert len(digests) == len(list((tmp_path / "site" / "results").iterdir())) == 60
    assert broken_links(tmp_path / "site") == []
