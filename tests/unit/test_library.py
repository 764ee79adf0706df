"""The library's names, the cost of their import, and refusals of its functions; the pytest plugin without a lab."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from report_kinds import search_of

import wirespeed
from wirespeed import Burst, LoadTest, Rfc2544, Search, Soak, Stateful, Testbed, connect, read_result, write_result
from wirespeed.compare.baseline import faults, renew
from wirespeed.errors import ConnectionFault, FileFault, UsageError
from wirespeed.measurement.option import check_values
from wirespeed.measurement.registry import class_of, kinds
from wirespeed.measurement.shown import short_repr

pytest_plugins = ["pytester"]

SURFACE = {
    "Burst": "",
    "BurstResult": "",
    "LoadTest": "",
    "LoadTestResult": "",
    "Rfc2544": "",
    "Rfc2544Result": "",
    "Search": "",
    "SearchResult": "",
    "Soak": "",
    "SoakResult": "",
    "Stateful": "",
    "StatefulResult": "",
    "Testbed": "ask(line: str) -> str; run(test: MeasurementOptions[AResult], stop: Event | None = None) -> AResult",
    "Verdict": "",
    "WirespeedError": "",
    "__version__": "",
    "bring_up": "(lab: str = 'embedded') -> Iterator[Testbed]",
    "connect": "(server: str | None = None, *, dut: str | None = None, testbed: str | PathLike[str] | None = None) "
    "-> Iterator[Testbed]",
    "embedded_lab": "(*, mtu: int | None = None, queues: int | None = None, descriptors: int | None = None, "
    "program: str | PathLike[str] | None = None, config: str | PathLike[str] | None = None, "
    "exec: str | PathLike[str] | None = None) -> Iterator[Testbed]",
    "read_result": "(file: str | PathLike[str]) -> MeasurementResult",
    "verdict_of": "(result: MeasurementResult) -> Verdict",
    "write_result": "(result: MeasurementResult, file: str | PathLike[str]) -> None",
}
TESTS = {
    Burst: "first load longest_s profile resolution rest_s tries",
    LoadTest: "fail_threshold hold_s ignore_link_down include_disturbed interval latency profile ramp_s ramp_target "
    "steps warmup_rate warmup_s",
    Search: "goal latency least most mrr preset profile repeat_disturbed time_s",
    Soak: "confidence duration from_search goal latency load profile reconnect_timeout resume share target_loss",
    Stateful: "addresses alpha beside capacity empty_command flows protocol repeat_disturbed repeats resolution show "
    "test timeout trial_s ways",
    Rfc2544: "ip6 repeat_disturbed repeats reset_command resolution show sizes test text trial_s waits",
}
SHARED = (
    "direction directions dut force lab line output ports power quiet recover server signature testbed tunables "
    "unidirectional web web_grace_s"
)


def signature(name: str) -> str:
    value = getattr(wirespeed, name)
    if value is Testbed:
        methods = {one: str(inspect.signature(getattr(value, one))) for one in ("ask", "run")}
        return "; ".join(f"{one}{text.replace('self, ', '')}" for one, text in methods.items()).replace("'", "")
    return str(inspect.signature(value)) if inspect.isfunction(value) else ""


def test_the_surface() -> None:
    assert sorted(wirespeed.__all__) == sorted(SURFACE)
    told = {name: signature(name).replace("'", "") for name in wirespeed.__all__}
    assert told == {name: text.replace("'", "") for name, text in SURFACE.items()}
    assert set(SURFACE) <= set(dir(wirespeed))
    assert [name for name in vars(Testbed) if not name.startswith("_")] == ["run", "ask"]
    for kind, own in TESTS.items():
        assert {one.name for one in fields(kind)} == {*own.split(), *SHARED.split()}


def test_each_name_says_what_it_is() -> None:
    assert [name for name in wirespeed.__all__ if name != "__version__" and not getattr(wirespeed, name).__doc__] == []
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        wirespeed.conect  # noqa: B018


def test_the_options_of_a_test_are_readable() -> None:
    for kind, own in TESTS.items():
        shown = str(inspect.signature(kind))
        assert "Option" not in shown and shown.index(f"{own.split()[0]}: ") < shown.index("server: str | None = None")
    assert str(inspect.signature(LoadTest)).startswith("(*, profile: str = 'imix', warmup_rate: str = '1kpps', ")


def test_a_result_is_shown_by_its_figures() -> None:
    for kind in kinds():
        assert class_of(kind).__repr__ is short_repr, kind
    assert re.fullmatch(r"<search result \S+: NDR .*pps.*>", repr(search_of())) and len(repr(search_of())) < 200
    verdict = wirespeed.verdict_of(search_of())
    assert repr(verdict).startswith("<verdict on wirespeed-search: NDR ")
    assert repr(verdict.figure).startswith("<figure NDR ")


def test_the_package_and_the_plugin_import_nothing_before_use() -> None:
    told = "import pytest, sys; had = {*sys.modules}; import wirespeed.pytest_plugin; print(*{*sys.modules} - had)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"wirespeed", "wirespeed.pytest_plugin"}


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (LoadTest(server="127.0.0.1"), "server='127.0.0.1' of a test is the testbed's"),
        (Search(lab="embedded"), "lab='embedded' of a test is the testbed's"),
        (Soak(web=True), "web=True of a test belongs to the command line"),
        (LoadTest(ramp_target="fast"), "fast"),
        (Burst(longest_s=0.0), "--longest 0 is not a duration"),
        (LoadTest(direction="0-1", unidirectional=True), "both set the direction"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_sent(
    test: Burst | LoadTest | Search | Soak, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        Testbed({"server": "127.0.0.1:1"}).run(test)


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (LoadTest(hold_s="10s"), "hold_s='10s' of a test is not a number of seconds; give e.g. hold_s=30.0"),
        (Search(goal="pdr"), "goal='pdr' of a test is not a tuple of strings; give e.g. goal=('pdr',)"),
        (Search(goal=(1,)), "goal=(1,) of a test is not a tuple of strings"),
        (LoadTest(ramp_target=5), "ramp_target=5 of a test is not a string"),
        (LoadTest(hold_s=float("nan")), "hold_s=nan of a test is not a finite number"),
        (Rfc2544(repeats=2.5), "repeats=2.5 of a test is not a whole number"),
        (Rfc2544(repeats=True), "repeats=True of a test is not a whole number"),
        (Rfc2544(text="report.txt"), "text='report.txt' of a test is not a Path"),
        (Soak(quiet="yes"), "quiet='yes' of a test is not True or False"),
    ],
)
def test_values_of_another_type_are_refused_by_name(test: Any, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        Testbed({"server": "127.0.0.1:1"}).run(test)


def test_values_of_the_right_type_pass() -> None:
    right = LoadTest(hold_s=10), Search(goal=["pdr"]), Rfc2544(repeats=2), Burst(), Soak(), Stateful(), LoadTest()
    for test in right:
        check_values(test)


BENCH = (
    "tester: {server: '127.0.0.1:1'}\nlinks: [{port: 0}, {port: 1}]\ndut: {kind: wirespeed, reach: REACH, socket: S}\n"
)


def test_a_dut_without_a_command_language_is_not_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give connect\\(\\) dut='router:SOCKET'"):
        Testbed({}).ask("show version")
    (file := tmp_path / "t.yaml").write_text(BENCH.replace("REACH", "ssh://root@r"))
    with connect(testbed=file) as testbed, pytest.raises(UsageError, match="no control socket .* on this machine"):
        testbed.ask("show version")
    with pytest.raises(UsageError, match="--dut nothing: there is no such device"), connect(dut="nothing"):
        pass


def test_the_router_of_a_testbed_file_is_asked(tmp_path: Path) -> None:
    socket = tmp_path / "router.sock"
    (file := tmp_path / "t.yaml").write_text(BENCH.replace("REACH", "local").replace(" S}", f" {socket}}}"))
    with connect(testbed=file) as testbed, pytest.raises(ConnectionFault, match=str(socket)):
        testbed.ask("show version")
    with pytest.raises(FileFault, match=r"none\.yaml"), connect(testbed=tmp_path / "none.yaml"):
        pass


def test_results_are_written_and_read(tmp_path: Path) -> None:
    result = replace(search_of(), name="one")
    write_result(result, f"{tmp_path}/one.json")
    assert read_result(f"{tmp_path}/one.json") == result


def searches(scale: float, count: int) -> list[wirespeed.SearchResult]:
    """Searches of a device with `scale` times the capacity, each with a spread of 0.01 %."""
    result = search_of()
    return [
        replace(
            result,
            goals=tuple(
                replace(goal, lower_pps=goal.lower_pps and goal.lower_pps * scale * (1 + number * 1e-4))
                for goal in result.goals
            ),
        )
        for number in range(count)
    ]


def test_a_baseline_is_judged_as_compare_does(tmp_path: Path) -> None:
    place = tmp_path / "new" / "baseline"
    with pytest.raises(FileFault, match="there is no baseline .*baseline; write it with --wirespeed-renew"):
        faults(place, searches(1, 3), 0.01, 0.95)
    renew(place, searches(1, 4))
    renew(place, searches(1, 3))
    assert len(list(place.iterdir())) == 3
    assert faults(place, searches(1, 3), 0.01, 0.95) == ""
    assert faults(place, searches(1.2, 3), 0.01, 0.95) == ""
    slower = faults(place, searches(0.8, 3), 0.01, 0.95)
    assert "NDR of bench size=64, 0→1, 1→0: worse than the baseline" in slower and "| -20.0" in slower
    assert "give two results or more on each side" in faults(place, searches(1.2, 1), 0.01, 0.95)
    write_result(searches(1, 1)[0], f"{tmp_path}/one.json")
    once = faults(tmp_path / "one.json", searches(1, 2), 0.01, 0.95)
    assert "the baseline has it once only; write it with --wirespeed-renew" in once
    for within, confidence, said in (
        (2, 0.95, "within=2 of"),
        ("2%", 0.95, "within='2%' of"),
        (0.01, 95, "confidence=95"),
    ):
        with pytest.raises(UsageError, match=f"{said}.*: give a ratio from 0"):
            faults(place, searches(1, 3), within, confidence)  # type: ignore[arg-type]
    assert "no figure in common" in faults(place, [search_of(tunables="size=1514")] * 2, 0.01, 0.95)
    assert "size=64, 0→1, 1→0: the results do not have it" in faults(
        place, [search_of(tunables="size=9")] * 2, 0.01, 0.95
    )
    spread = [*searches(1, 1), *searches(1.05, 1)]
    assert faults(place, spread, 0.01, 0.95) == ""
    assert "0→1, 1→0: cannot tell: " in faults(place, spread, 0.01, 0.95, strict=True)


def test_a_worthless_baseline_is_neither_written_nor_used(tmp_path: Path) -> None:
    place = tmp_path / "baseline"
    nothing = [replace(one, goals=tuple(replace(goal, lower_pps=None) for goal in one.goals)) for one in searches(1, 3)]
    with pytest.raises(UsageError, match="no baseline is written: .* none of its 3 results found one"):
        renew(place, nothing)
    with pytest.raises(UsageError, match="no baseline is written: NDR of .* was found in 1 of 1 result; two or more"):
        renew(place, searches(1, 1))
    with pytest.raises(UsageError, match="was found in 1 of 3 results"):
        renew(place, [*nothing[:2], *searches(1, 1)])
    assert not place.exists()
    place.mkdir()
    with pytest.raises(FileFault, match="contains no result file .*; write it with --wirespeed-renew"):
        faults(place, searches(1, 2), 0.01, 0.95)
    for number, one in enumerate(nothing):
        write_result(one, place / f"{number}.json")
    with pytest.raises(
        FileFault, match="^baseline .*baseline has no rate to compare: .*; write it with --wirespeed-renew"
    ):
        faults(place, searches(1, 2), 0.01, 0.95)


COMPARED = """
from pathlib import Path
from wirespeed import read_result

def test_as_fast(assert_not_slower):
    assert_not_slower([read_result(file) for file in sorted(Path("now").iterdir())], "before", within=0.02)
"""


def test_the_plugin_fails_a_test_whose_results_are_worse(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(COMPARED)
    renew(pytester.path / "before", searches(1, 2))
    renew(pytester.path / "now", searches(0.8, 2))
    ran = pytester.runpytest_inprocess()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*AssertionError: NDR of *: worse than the baseline*", "E *-20.0* | worse *"])
    pytester.runpytest_inprocess("--wirespeed-renew").assert_outcomes(passed=1)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_missing_or_worthless_baseline_is_one_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(COMPARED)
    renew(pytester.path / "now", searches(1, 2))
    ran = pytester.runpytest_inprocess()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["there is no baseline *before; write it with --wirespeed-renew"])
    ran.stdout.no_fnmatch_line("*baseline.py*")
    (pytester.path / "now" / "1.json").unlink()
    ran = pytester.runpytest_inprocess("--wirespeed-renew")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["no baseline is written: NDR of * was found in 1 of 1 result; two or more are needed"])
    assert not (pytester.path / "before").exists()


def test_one_result_is_not_a_list_of_them(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        COMPARED.replace('[read_result(file) for file in sorted(Path("now").iterdir())]', "read_result('now/0.json')")
    )
    renew(pytester.path / "now", searches(1, 2))
    ran = pytester.runpytest_inprocess()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["assert_not_slower compares a list of results; give [[]result, …], not <search result *"])


def test_a_lab_that_cannot_be_brought_up_is_one_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(wirespeed_lab): wirespeed_lab.ask('show version')")
    ran = pytester.runpytest_inprocess("--wirespeed-lab", "nothing")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["--lab nothing: there is no such lab; *"])
    ran.stdout.no_fnmatch_line("*chosen.py*")
    (pytester.path / "t.yaml").write_text(BENCH.replace("REACH", "ssh://root@r"))
    ran = pytester.runpytest_inprocess("--wirespeed-lab", "t.yaml")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*the DUT has no control socket of a wirespeed router on this machine*"])
