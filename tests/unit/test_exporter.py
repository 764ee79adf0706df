"""The exporter's collectors with hand-made segments and result files; targets that hang, return invalid data and
restart.
"""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import pytest
from harness.waiting import wait_for
from prometheus_client import generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from report_kinds import FORWARD, search_of, soak_of, suite_of
from segment_bytes import Segment
from simulated_trex import SimulatedTrex

from manual.metrics import metrics_page
from wirespeed.cli.main import main
from wirespeed.dut.device import DutDevice
from wirespeed.dut.kinds.linux import LinuxKind
from wirespeed.dut.kinds.vpp import VppKind
from wirespeed.dut.reach.questions import answer_of, questions_of
from wirespeed.dut.reach.reach import Ran
from wirespeed.errors import ConnectionFault, UsageError
from wirespeed.exporter import target
from wirespeed.exporter.device import DeviceTarget
from wirespeed.exporter.exposition import Targets
from wirespeed.exporter.families import FAMILIES
from wirespeed.exporter.foreign import relabelled
from wirespeed.exporter.generator import GeneratorTarget
from wirespeed.exporter.options import TargetOptions, listening, targets_of
from wirespeed.exporter.router import MOST_OF_NAMES, RouterTarget, neighbours_of, routes_of
from wirespeed.exporter.runs import RunTarget
from wirespeed.exporter.target import Watched
from wirespeed.exporter.told import TargetValues, buckets, metrics
from wirespeed.exporter.vpp_text import VppTextTarget
from wirespeed.measurement.registry import summary_of
from wirespeed.statseg.layout import Type

_DOCS = Path(__file__).parents[2] / "docs"


def _segment(interfaces: list[str], *, began: int = 1_700_000_000, calls: int = 10, idle: int = 1) -> bytes:
    """`idle` nodes and as many reasons never counted anything."""
    nodes = ["ip4-lookup", *(f"idle-{number}" for number in range(idle)), *(f"{name}-tx" for name in interfaces)]
    of_nodes = [[0] * len(nodes), *([calls, *[0] * idle, *[calls] * len(interfaces)] for _ in range(2))]
    count = len(interfaces) + 1
    return bytes(
        Segment(
            [
                ("/sys/boottime", Type.SCALAR, began),
                ("/if/names", Type.NAMES, ["local0", *interfaces]),
                ("/if/rx", Type.COMBINED, [[(0, 0), *[(5, 300)] * (count - 1)] for _ in range(3)]),
                ("/if/drops", Type.SIMPLE, [[0, *[2] * (count - 1)] for _ in range(3)]),
                ("/sys/node/names", Type.NAMES, nodes),
                *((f"/sys/node/{what}", Type.SIMPLE, of_nodes) for what in ("calls", "vectors", "clocks", "suspends")),
                ("/node/errors", Type.SIMPLE, [[7, 0]] * 3),
                ('/err/ip4-input/ip4 "ttl" <= 1\\x', Type.SYMLINK, (9, 0)),
                *((f"/err/ip4-input/idle-{number}", Type.SYMLINK, (9, 1)) for number in range(idle)),
            ]
        )
    )


def _page(*targets: object) -> dict[str, dict[tuple[str, ...], float]]:
    """Values by the sample's name and the values of its labels, in the order of their names."""
    return _values(Targets(targets, 60.0), 60.0)  # type: ignore[arg-type]


def _values(targets: Targets, wait_s: float) -> dict[str, dict[tuple[str, ...], float]]:
    found: dict[str, dict[tuple[str, ...], float]] = {}
    text = targets.page("text/plain", generate_latest, wait_s=wait_s).decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_a_segment_is_told_with_names_escaped(tmp_path):
    (tmp_path / "a.stats").write_bytes(_segment(["e0", 'odd"\\name']))
    page = _page(RouterTarget("vpp", tmp_path / "a.stats"))
    assert page["wirespeed_router_interface_rx_bytes_total"] == {("e0", "vpp"): 900, ('odd"\\name', "vpp"): 900}
    assert page["wirespeed_router_interface_drops_total"]["e0", "vpp"] == 6
    assert page["wirespeed_router_errors_total"]["ip4-input", 'ip4 "ttl" <= 1\\x', "vpp"] == 21
    assert page["wirespeed_router_node_calls_total"]["ip4-lookup", "vpp", "vpp_wk_1"] == 10
    assert page["wirespeed_router_start_time_seconds"] == {("vpp",): 1_700_000_000}


@pytest.mark.parametrize("idle", [1, MOST_OF_NAMES])
def test_counters_begin_at_zero_unless_there_are_too_many(tmp_path, idle):
    """A rate begins at the first value that was read; without zeros it would lack what was counted before."""
    (tmp_path / "a.stats").write_bytes(_segment([], idle=idle))
    page = _page(RouterTarget("r", tmp_path / "a.stats"))
    zeros = {("idle-0", "r", f"vpp_wk_{worker}"): 0 for worker in range(2)} if idle == 1 else {}
    for what in ("calls", "vectors", "clocks"):
        assert page[f"wirespeed_router_node_{what}_total"] == {
            ("ip4-lookup", "r", "vpp_wk_0"): 10,
            ("ip4-lookup", "r", "vpp_wk_1"): 10,
            **zeros,
        }
    reasons = {("ip4-input", 'ip4 "ttl" <= 1\\x', "r"): 21}
    assert page["wirespeed_router_errors_total"] == reasons | ({("ip4-input", "idle-0", "r"): 0} if idle == 1 else {})


def test_nodes_are_told_by_thread_summed_folded_or_not_at_all(tmp_path):
    (tmp_path / "many.stats").write_bytes(_segment([f"e{number}" for number in range(100)], idle=0))

    def nodes(by):
        page = _page(RouterTarget("r", tmp_path / "many.stats", nodes=by))
        return page.get("wirespeed_router_node_vectors_total", {})

    assert nodes("none") == {}
    assert nodes("sum") == {("interface-tx", "r", "all"): 2000, ("ip4-lookup", "r", "all"): 20}
    assert nodes("thread")["interface-tx", "r", "vpp_wk_0"] == 1000
    assert len(nodes("every")) == 2 * 101


def test_the_names_of_vpps_own_exporter_are_there_besides(tmp_path):
    (tmp_path / "a.stats").write_bytes(_segment(["e0"]))
    page = _page(RouterTarget("r", tmp_path / "a.stats", vpp_names=True))
    assert page["_if_rx_packets"]["1", "r", "2"] == 5
    assert page["_if_names_info"]["1", "e0", "r"] == 1
    assert page["_sys_boottime"][("r",)] == 1_700_000_000


class _Scripted:
    kind = "router"

    def __init__(self, name, *answers):
        self.name = name
        self._answers = list(answers)

    def read(self):
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer() if callable(answer) else answer


def _asked(watched: Watched) -> tuple[TargetValues, str | None]:
    """The target's next answer."""
    before, _ = watched.answer(0)

    def newer() -> tuple[TargetValues, str | None] | None:
        watched.ask()
        answer, fault = watched.answer(1)
        return None if answer is None or answer is before else (answer.told, fault)

    return wait_for(newer, "the next answer")


def test_a_target_that_hangs_is_down_alone_and_is_asked_nothing_more_until_it_lets_go(capsys):
    release = threading.Event()

    def hang():
        release.wait()
        return TargetValues()

    stuck, well = (
        Watched(_Scripted("stuck", TargetValues(), hang, TargetValues()), 0.05),
        Watched(_Scripted("well", *[TargetValues()] * 9), 30),
    )
    before = threading.active_count()
    assert _asked(stuck)[1] is None
    for _ in range(3):
        stuck.ask()
        fault = wait_for(lambda: stuck.answer(0)[1], "it is down")
        assert fault == "no answer within 0.05 s"
        assert _asked(well)[1] is None
    assert threading.active_count() == before
    release.set()
    assert _asked(stuck)[1] is None
    said = capsys.readouterr().err
    assert said == "wirespeed: router stuck is down: no answer within 0.05 s\nwirespeed: router stuck is back\n"


def test_a_page_has_what_slow_targets_last_told_and_its_age():
    """Slow targets are read in the background; a page waits for none."""
    asked, release = threading.Semaphore(0), threading.Semaphore(0)

    class Slow:
        name, kind = "slow", "router"
        count = 0

        def read(self) -> TargetValues:
            asked.release()
            assert release.acquire(timeout=60)
            self.count += 1
            told = TargetValues()
            told.add("router_clock_hertz", [(("slow",), self.count)])
            return told

    targets = Targets([Slow()], 60)

    def page() -> dict[str, dict[tuple[str, ...], float]]:
        return _values(targets, 0.0)

    assert "wirespeed_up" not in page(), "it was never asked before, and may answer"
    release.release()
    wait_for(lambda: page().get("wirespeed_router_clock_hertz") == {("slow",): 1}, "the first answer")
    assert asked.acquire(timeout=60) and asked.acquire(timeout=60)  # a request to it is outstanding
    ages = [page()["wirespeed_target_age_seconds"]["router", "slow"] for _ in range(3)]
    assert ages == sorted(ages) and ages[0] > 0 and page()["wirespeed_up"] == {("router", "slow"): 1}
    release.release()
    wait_for(lambda: page()["wirespeed_router_clock_hertz"] == {("slow",): 2}, "the second one")


def test_a_slow_target_is_asked_without_a_scrape(monkeypatch):
    monkeypatch.setattr(target, "WAIT_S", 0.0)
    monkeypatch.setattr(target, "EACH_S", 0.001)
    watched = Watched(_Scripted("slow", *[TargetValues()] * 999_999), 30)
    _asked(watched), _asked(watched)
    for _ in range(2):
        before, _ = watched.answer(0)
        wait_for(lambda before=before: watched.answer(0)[0] is not before, "an answer that nobody asked for")


def test_errors_of_any_kind_and_too_much_are_down_and_starts_are_counted():
    flood = TargetValues()
    flood.add("up", [((str(number), "x"), 1.0) for number in range(200_001)])
    answers = (
        KeyError("x"),
        ConnectionFault("gone"),
        flood,
        TargetValues(began=1),
        TargetValues(began=1),
        TargetValues(began=2),
    )
    watched = Watched(_Scripted("r", *answers), 30)
    assert [_asked(watched)[1] is None for _ in range(6)] == [False, False, False, True, True, True]
    answer, _ = watched.answer(0)
    assert answer is not None and answer.restarts == 1


def test_a_router_that_starts_anew_is_one_more_start(tmp_path):
    path = tmp_path / "a.stats"
    path.write_bytes(_segment(["e0"]))
    watched = Watched(RouterTarget("r", path), 30)
    for began in (1_700_000_000, 1_700_000_500):
        path.with_suffix(".new").write_bytes(_segment(["e0"], began=began))
        path.with_suffix(".new").replace(path)
        _asked(watched)
    answer, _ = watched.answer(0)
    assert answer is not None and answer.restarts == 1


def test_targets_are_one_page_in_each_format_and_names_choose_samples(tmp_path):
    """Each family occurs once, in the order of the table; if foreign ones differ, the first one's type applies."""
    (tmp_path / "a.stats").write_bytes(_segment(["e0"]))
    metrics_of = [
        TargetValues(foreign=relabelled(f"f{n}", f"# TYPE x {kind}\nx 1\n"))
        for n, kind in enumerate(("gauge", "counter"))
    ]
    two = [RouterTarget(name, tmp_path / "a.stats") for name in ("a", "b")]
    targets = Targets([*two, *(_Scripted(f"f{n}", *[told] * 9) for n, told in enumerate(metrics_of))], 30)
    for media_type, encode in (("text/plain", generate_latest), ("application/openmetrics-text", openmetrics)):
        text = targets.page(media_type, encode, wait_s=30).decode()
        names = re.findall("(?m)^# TYPE (\\S+)", text)
        assert len(names) == len(set(names)) and text.count("wirespeed_router_interface_rx_packets_total{") == 2
        assert text.count("x{") == 1 and text.endswith("# EOF\n") == (encode is openmetrics)
        known = [name for name in names if name in FAMILIES or f"{name}_total" in FAMILIES]
        order = [name.removesuffix("_total") for name in FAMILIES]
        assert [order.index(name.removesuffix("_total")) for name in known] == sorted(
            order.index(name.removesuffix("_total")) for name in known
        )
    chosen = targets.page(
        "text/plain", generate_latest, ["wirespeed_up", "wirespeed_router_vector_size_sum"], 30
    ).decode()
    assert set(re.findall("(?m)^(\\w+)[{ ]", chosen)) == {"wirespeed_up"}


@pytest.mark.parametrize("extended", [True, False])
def test_a_generators_intended_packets_are_served_under_both_names(extended):
    """T-Rex does not count them."""
    with SimulatedTrex(extended=extended) as trex:
        generator = GeneratorTarget("t", trex.server, 5)
        values = generator.read().values
        generator._client.close()
    present, former = (values.get(f"wirespeed_generator_{name}_packets_total") for name in ("intended", "asked"))
    assert present == former == ([(("t", "0"), 0), (("t", "1"), 0)] if extended else None)


def test_summaries_and_tables_of_our_router():
    assert (
        routes_of(
            "ipv4-VRF:0, fib_index:0\n   Prefix length         Count\n         8           2\n        32          11"
        )
        == 13
    )
    table = """     Age      IP   Flags Ethernet Interface
 12.3  100.64.1.2  D  02:00:00:00:00:01 e0
  1.0 2001:db8::2 S 02:00:00:00:00:02 e1"""
    assert neighbours_of(table) == {
        ("ip4", "learned"): 1,
        ("ip4", "static"): 0,
        ("ip6", "learned"): 0,
        ("ip6", "static"): 1,
    }


def test_a_test_that_is_not_there_yet_and_a_file_that_is_none(tmp_path):
    with pytest.raises(ConnectionFault, match=r"no test has written .*64b\.json or 64b\.json\.part yet"):
        RunTarget("64b", tmp_path / "64b.json").read()


def test_a_histogram_has_its_infinity_once():
    assert buckets(("a",), [(1, 2), (float("inf"), 3)], 9).bounds == (("1", 2), ("+Inf", 5))
    assert buckets(("a",), [(1, 2)], 2).bounds == (("1", 2), ("+Inf", 2))


def test_another_exporter_is_told_on_with_the_label_of_its_target():
    (metric,) = relabelled("far", '# TYPE nodes_calls counter\nnodes_calls{target="x",node="a b"} 7\n')
    assert metric.samples[0].labels == {"target": "far", "exported_target": "x", "node": "a b"}
    with pytest.raises(ValueError):
        relabelled("far", "{{{ no metrics")


def test_every_family_has_a_prefix_and_a_unit_or_total():
    for name, family in FAMILIES.items():
        assert name.startswith("wirespeed_")
        assert (family.kind == "counter") == name.endswith("_total")
    assert list(metrics([TargetValues()])) == []


def test_the_page_of_metrics_is_written_from_the_code():
    """`python -m manual references docs` writes it."""
    assert (_DOCS / "metrics.md").read_text() == metrics_page()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a target"),
        (["--router", "/a/r.sock", "--stats", "r=/b"], "two targets are called r"),
        (["--stats", "/a", "--listen", "19482"], "give HOST:PORT"),
        (["--stats", "/a", "--listen", "example.org:1"], "not an address of this machine"),
        (["--stats", "/a", "--timeout", "0"], "0.1 to 60"),
        (["--scrape", "file:///etc/passwd"], "give http://"),
        (["--scrape", "http://me:secret@far/"], "a password in a URL"),
        (["--stats", "/a", "--tls-cert", "/c"], "go together"),
    ],
)
def test_words_that_cannot_be_used_are_one_line(words, said, capsys):
    assert main(["exporter", *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


class _Reach:
    """A Linux with the answers of a test."""

    name = "box"

    def __init__(self, *samples):
        self._samples = list(samples)

    def run(self, command, *, stdin="", timeout_s=30.0):
        return Ran(0, self._samples.pop(0))

    def close(self):
        pass


def _linux(softirq, packets):
    return (
        f"==> /proc/stat <==\ncpu0 0 0 0 1000 0 0 {softirq} 0 0 0\n\n"
        f"==> /proc/softirqs <==\n          CPU0\n NET_RX:  {packets}\n\n"
        "==> modules <==\neth0 \tModule temperature   : 41.50 degrees C / 106.70 degrees F\n"
    )


def test_a_device_is_told_by_what_grew_and_its_modules_by_their_heat():
    target = DeviceTarget(
        "box", DutDevice("box", LinuxKind(), _Reach(_linux(100, 7), _linux(150, 9), _linux(151, 10))), 2
    )
    assert "wirespeed_dut_cpu_seconds_total" not in target.read().values
    target.read()
    told = target.read().values
    assert dict(told["wirespeed_dut_cpu_seconds_total"])["box", "0", "softirq"] == pytest.approx(0.51)
    assert dict(told["wirespeed_dut_softirqs_total"])["box", "0", "NET_RX"] == 3
    assert told["wirespeed_module_temperature_celsius"] == [(("box", "eth0"), 41.5)]


def test_watts_of_a_meter_are_told_and_no_password_is_in_its_name():
    page = _page(*targets_of(TargetOptions(meters=("wall=constant:19.5",))))
    (watts,) = page["wirespeed_power_watts"].items()
    assert watts[1] == 19.5
    assert "wall" in watts[0]
    assert targets_of(TargetOptions(meters=("shelly:me:secret@10.0.0.5",)))[0].name == "shelly"


def test_names_are_given_or_those_of_files():
    made = targets_of(
        TargetOptions(routers=("/run/a/dut.sock",), segments=("/run/vpp/stats.sock",), results=("n=/tmp/64b.json",))
    )
    assert [target.name for target in made] == ["dut", "vpp", "n"]
    with pytest.raises(UsageError):
        targets_of(TargetOptions(generators=("host:notaport",)))
    assert listening("[::1]:0", None, None, None).host == "::1"


@pytest.mark.parametrize(("dut", "kind"), [("linux", "dut"), ("vpp", "router")])
def test_a_bench_is_its_device_its_tester_and_its_meter(tmp_path, dut, kind):
    file = tmp_path / "lab.yaml"
    wires = "links: [{port: 0, interface: e0}, {port: 1, interface: e1}]\n"
    rest = f"dut: {{kind: {dut}, reach: local}}\npower: constant:12\n"
    file.write_text(f"tester: {{server: 10.0.0.5}}\n{wires}{rest}")
    made = targets_of(TargetOptions(benches=(file,)))
    assert [(one.name, one.kind) for one in made] == [
        ("lab-dut", kind),
        ("lab-tester", "generator"),
        ("lab-power", "power"),
    ]


@pytest.mark.parametrize(("made", "kind", "phase"), [(search_of, "search", "trial"), (suite_of, "rfc2544", "trial")])
def test_tests_of_trials_are_told_by_the_sums_of_their_trials(made, kind, phase):
    result = made()
    told = summary_of(result)
    assert (told.kind, told.phase, told.samples) == (kind, phase, len(result.trials))
    rows = [channel for trial in result.trials for channel in trial.trial.channels.values()]
    offered = sum(row["offered"] for row in told.packets.values())
    assert offered == pytest.approx(sum(row.balance.offered for row in rows))
    assert offered > 0 or not rows


def test_a_soak_is_told_by_its_seconds():
    result = soak_of(seconds=60, lossy=((10, 7),))
    told = summary_of(result)
    assert (told.kind, told.phase, told.samples) == ("soak", "hold", len(result.seconds))
    row = told.packets[str(FORWARD)]
    assert row["lost"] == 7 and row["offered"] - row["received"] == 7


def test_a_clock_that_jumps_changes_nothing(tmp_path, monkeypatch):
    (tmp_path / "a.stats").write_bytes(_segment(["e0"]))
    target = RouterTarget("r", tmp_path / "a.stats")
    before = _page(target)
    monkeypatch.setattr(time, "time", lambda: -1e9)
    after = _page(target)
    assert after["wirespeed_up"] == before["wirespeed_up"] == {("router", "r"): 1}
    assert 0 <= after["wirespeed_scrape_duration_seconds"]["router", "r"] < 60


_SHOWN = {
    "show interface": """\
              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count
GigabitEthernet3/0/0              1      up          9000/0/0/0     rx packets                  1000
                                                                    rx bytes                   64000
                                                                    drops                          3
                                                                    ip4                         1000
GigabitEthernet3/0/1              2     down         9000/0/0/0     tx-error                       2
local0                            0     down          0/0/0/0
""",
    "show errors": """\
   Count                    Node                              Reason               Severity
         3             ip4-input              ip4 "ttl" <= 1                         error
         4             ip4-input              ip4 "ttl" <= 1                         error
""",
    "show version": "vpp v24.06-release\n",
}


class _Texts:
    """A device whose vppctl shows these texts."""

    name = "ssh://root@box"

    def __init__(self, shown):
        self.shown = shown

    def run(self, command, *, stdin="", timeout_s=1.0):
        texts = {question: self.shown.get(question.removeprefix("vppctl ")) for question in questions_of(command)}
        return Ran(0, "".join(answer_of(question, text) for question, text in texts.items()))


def test_a_vpp_elsewhere_is_told_by_its_text_and_is_down_without_it():
    kind = VppKind()
    page = _page(VppTextTarget("v", DutDevice("vpp:ssh://root@box", kind, _Texts(_SHOWN)), kind, 1.0))
    first = "GigabitEthernet3/0/0"
    assert page["wirespeed_router_interface_rx_packets_total"] == {(first, "v"): 1000}
    assert page["wirespeed_router_interface_rx_bytes_total"] == {(first, "v"): 64000}
    assert page["wirespeed_router_interface_drops_total"] == {(first, "v"): 3}
    assert page["wirespeed_router_interface_tx_error_total"] == {("GigabitEthernet3/0/1", "v"): 2}
    assert page["wirespeed_router_errors_total"] == {("ip4-input", 'ip4 "ttl" <= 1', "v"): 7}
    assert page["wirespeed_router_info"] == {("v", "vpp v24.06-release"): 1}
    assert page["wirespeed_up"] == {("router", "v"): 1}
    gone = _page(VppTextTarget("v", DutDevice("vpp:ssh://root@box", kind, _Texts({})), kind, 1.0))
    assert gone["wirespeed_up"] == {("router", "v"): 0}
