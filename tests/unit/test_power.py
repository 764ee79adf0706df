"""Power meters on fake trees and a plug on loopback, their log, results with power, and the commands."""

import csv
import io
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fake_plug import FakePlug
from harness.page_results import PLAIN, loadtest
from harness.waiting import wait_for
from report_charts import unpacked
from report_kinds import search_of
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.corpus.entry import entry_of
from wirespeed.dut.none import NoDut
from wirespeed.errors import ConnectionFault, EnvironmentFault, UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file
from wirespeed.measurement.search.result import SearchResult
from wirespeed.power.log import PowerLog
from wirespeed.power.meter import MeterFault
from wirespeed.power.metered import MeteredDut, MeteredReading, metered
from wirespeed.power.plugs import Plug, Shelly, Tasmota
from wirespeed.power.programs import Ipmi, MeterCommand, dcmi_watts
from wirespeed.power.spec import parse_power
from wirespeed.power.sysfs import Hwmon, Rapl
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.lab import MeterFacts
from wirespeed.results.power import Draw, Power, power_line, power_of

# ---- the kernel's


def rapl_tree(sys: Path, **zones: tuple[str, int]) -> None:
    for zone, (name, energy_uj) in zones.items():
        folder = sys / "class/powercap" / zone.replace("_", ":").replace("intel:rapl", "intel-rapl")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "name").write_text(f"{name}\n")
        (folder / "energy_uj").write_text(f"{energy_uj}\n")
        (folder / "max_energy_range_uj").write_text("262143328850\n")


def test_rapl_counts_packages_and_memory_and_wraps(tmp_path):
    now = [0.0]
    core = {"intel_rapl_0_0": ("core", 5), "intel_rapl_0_1": ("dram", 0)}
    rapl_tree(tmp_path, intel_rapl_0=("package-0", 262143328850 - 1_000_000), **core)
    paused = []
    meter = Rapl(tmp_path, clock=lambda: now[0], pause=paused.append)
    now[0] = 2.0
    rapl_tree(tmp_path, intel_rapl_0=("package-0", 19_000_000), intel_rapl_0_1=("dram", 4_000_000))
    assert meter.watts() == pytest.approx((1 + 19 + 4) / 2)
    assert paused == []
    with pytest.raises(MeterFault, match="no time passed"):
        meter.watts()
    assert paused == [0.1], "too short a time shows the steps of the counter"
    assert "without board" in meter.of


def test_rapl_that_is_not_there_or_not_for_us(tmp_path):
    with pytest.raises(EnvironmentFault, match="--power rapl: this machine shows no RAPL counters"):
        Rapl(tmp_path)
    rapl_tree(tmp_path, intel_rapl_0=("package-0", 1))
    (tmp_path / "class/powercap/intel-rapl:0/energy_uj").unlink()
    with pytest.raises(EnvironmentFault, match="energy_uj: No such file"):
        Rapl(tmp_path)


def hwmon_tree(sys: Path, number: int, name: str, **files: str) -> None:
    folder = sys / f"class/hwmon/hwmon{number}"
    folder.mkdir(parents=True)
    for file, text in {"name": name, **files}.items():
        (folder / file).write_text(f"{text}\n")


def test_hwmon_goes_by_name(tmp_path):
    hwmon_tree(tmp_path, 0, "coretemp", temp1_input="45000")
    hwmon_tree(tmp_path, 3, "ina226", power1_input="19500000", power2_input="500000")
    assert Hwmon("", tmp_path).watts() == 20.0
    hwmon_tree(tmp_path, 4, "power_meter", power1_average="30000000", power1_input="99000000")
    assert Hwmon("power_meter", tmp_path).watts() == 30.0
    with pytest.raises(UsageError, match="several sensors measure power; give one of hwmon:ina226, power_meter"):
        Hwmon("", tmp_path)
    with pytest.raises(EnvironmentFault, match="no sensor of that name measures power; there are: ina226, power_meter"):
        Hwmon("coretemp", tmp_path)


def test_a_sensor_that_goes_away_is_a_fault_and_no_zero(tmp_path):
    hwmon_tree(tmp_path, 0, "ina226", power1_input="1000000")
    meter = Hwmon("ina226", tmp_path)
    file = tmp_path / "class/hwmon/hwmon0/power1_input"
    file.write_text("")
    with pytest.raises(MeterFault, match="holds no number"):
        meter.watts()
    file.unlink()
    with pytest.raises(MeterFault, match="No such file"):
        meter.watts()


# ---- programs

IPMITOOL = """
    Instantaneous power reading:                   123 Watts
    Minimum during sampling period:                  7 Watts
    Maximum during sampling period:                260 Watts
    Average power reading over sample period:      121 Watts
    IPMI timestamp:                           Mon Jan  1 00:00:00 2026
    Sampling period:                          00000001 Seconds.
    Power reading state is:                   activated
"""


def test_ipmi_of_either_program():
    assert dcmi_watts(IPMITOOL) == 123
    assert dcmi_watts("Current Power                        : 285 Watts\nPower Measurement : Active\n") == 285


def test_a_zero_counts_only_of_a_meter_that_measures():
    zero = IPMITOOL.replace("123 Watts", "0 Watts")
    assert dcmi_watts(zero) == 0
    with pytest.raises(MeterFault, match="it reads 0 W and its power measurement is not active"):
        dcmi_watts(zero.replace("activated", "deactivated"))
    with pytest.raises(MeterFault, match="its output has no power reading: DCMI request failed"):
        dcmi_watts("DCMI request failed because: Invalid command (c1)\n")


def test_ipmi_takes_the_program_that_is_there():
    echo = (sys.executable, "-c", "print('Instantaneous power reading: 77 Watts')")
    assert Ipmi((("no-such-ipmitool",), echo)).watts() == 77
    with pytest.raises(MeterFault, match="neither ipmitool nor ipmi-dcmi is installed"):
        Ipmi((("no-such-ipmitool",),)).watts()
    with pytest.raises(MeterFault, match="failed: no bmc"):
        Ipmi(((sys.executable, "-c", "raise SystemExit('no bmc')"),)).watts()


@pytest.mark.parametrize("printed", ["19.5", "19.5 W", " 19.5 watts\n"])
def test_a_command_prints_watts(printed):
    assert MeterCommand(f"printf '{printed}'").watts() == 19.5


@pytest.mark.parametrize(
    ("command", "why"), [("echo many", "it printed 'many', not watts"), ("exit 3", "failed: code 3")]
)
def test_a_command_that_prints_none(command, why):
    with pytest.raises(MeterFault, match=why):
        MeterCommand(command).watts()


# ---- plugs

METERS = {"shelly2": Shelly, "shelly-pm": Shelly, "shelly1": Shelly, "tasmota": Tasmota}


@pytest.mark.parametrize("kind", METERS)
@pytest.mark.parametrize("password", ["", "secret"])
def test_each_plug_by_its_own_api(kind, password):
    with FakePlug(kind, 47.11, password) as plug:
        who = f"admin:{password}@" if password else ""
        meter = METERS[kind](Plug(who + plug.host))
        assert meter.watts() == 47.11
        plug.watts = 12.0
        asked = len(plug.asked)
        assert meter.watts() == 12.0
        assert len(plug.asked) - asked <= 2, "its generation is known by now; a proof takes two"
        assert password not in meter.name or not password


@pytest.mark.parametrize("kind", METERS)
def test_a_plug_that_wants_a_password_says_so(kind):
    with FakePlug(kind, password="secret") as plug:
        for who in ("", "admin:wrong@"):
            with pytest.raises(MeterFault, match="it requires a password: give USER:PASSWORD@HOST"):
                METERS[kind](Plug(who + plug.host)).watts()


@pytest.mark.parametrize("kind", METERS)
def test_a_plug_that_has_no_reading_is_a_fault(kind):
    with FakePlug(kind) as plug:
        meter = METERS[kind](Plug(plug.host))
        assert meter.watts() == 19.0
        plug.watts = None
        with pytest.raises(MeterFault):
            meter.watts()
        plug.watts = 20.0
        assert meter.watts() == 20.0
        plug.gone = True
        with pytest.raises(MeterFault, match="no answer"):
            meter.watts()


def test_a_shelly_is_no_tasmota():
    with FakePlug("shelly2") as plug, pytest.raises(MeterFault, match="not that of a Tasmota with a meter"):
        Tasmota(Plug(plug.host)).watts()
    with FakePlug("tasmota") as plug, pytest.raises(MeterFault, match="not that of a Shelly with a meter"):
        Shelly(Plug(plug.host)).watts()
    with pytest.raises(MeterFault, match="no answer"):
        Shelly(Plug(plug.host)).watts()


# ---- as the command line names them


@pytest.mark.parametrize(
    ("text", "name", "idle_w"),
    [
        ("constant:19", "constant:19", None),
        ("constant:19.5,idle=12", "constant:19.5", 12.0),
        ("command:echo 1,2", "command:echo 1,2", None),
        ("shelly:10.0.0.5", "shelly:10.0.0.5", None),
        ("shelly:admin:secret@plug.lan:8080,idle=7.5", "shelly:plug.lan:8080", 7.5),
        ("tasmota:[fe80::1]:81", "tasmota:[fe80::1]:81", None),
        ("ipmi", "ipmi", None),
    ],
)
def test_meters_by_name(text, name, idle_w):
    spec = parse_power(text)
    assert (spec.meter.name, spec.idle_w) == (name, idle_w)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "watts",
        "shelly",
        "constant",
        "constant:x",
        "constant:-1",
        "constant:nan",
        "rapl:x",
        "shelly:a b",
        "tasmota:",
    ],
)
def test_what_is_no_meter(text):
    with pytest.raises(UsageError, match=r"give rapl, hwmon\[:NAME\], ipmi, shelly:HOST"):
        parse_power(text)


def test_a_password_is_never_shown():
    with pytest.raises(UsageError) as raised:
        parse_power("shelly:admin:secret@a b")
    assert "secret" not in str(raised.value)


# ---- the log


class Script:
    """A meter with these readings in order; None is a fault."""

    name, of = "script", "a test"

    def __init__(self, *said: float | None) -> None:
        self.said = list(said)

    def watts(self) -> float:
        watts = self.said.pop(0)
        if watts is None:
            raise MeterFault("it is away")
        return watts


def log_of(*said: float | None) -> PowerLog:
    """A log with one reading per second, the first one at 1."""
    now = iter(range(1, 100))
    log = PowerLog(Script(*said), clock=lambda: float(next(now)))
    for _ in said:
        log.read()
    return log


def test_an_interval_is_the_mean_of_its_readings():
    log = log_of(10, 20, 30, 40)
    assert log.between(1, 3) == 25
    assert log.between(0, 4) == 25
    assert log.between(3.2, 3.7) == 30, "a short one has the reading before it"


def test_a_meter_that_goes_away_leaves_a_gap():
    log = log_of(10, None, None, 40)
    assert log.between(1, 2) is None
    assert log.between(0, 4) == 25
    assert log.between(2.1, 2.6) is None, "the last that it said is that it is away"
    assert log.fault == "it is away"


def test_an_old_reading_says_nothing_of_now():
    assert log_of(10).between(3, 3.9) == 10
    assert log_of(10).between(8, 9) is None


def test_a_meter_that_never_answered_ends_the_test_before_it_begins():
    with pytest.raises(ConnectionFault, match="power meter script: it is away"), PowerLog(Script(None)):
        pass


def test_the_log_goes_on_while_a_test_waits():
    with PowerLog(Script(*range(1, 1000)), period_s=0.01) as log:
        began = time.monotonic()
        wait_for(lambda: log.between(began, time.monotonic()), "a reading")


def test_a_device_with_a_meter_tells_both():
    dut = MeteredDut(NoDut(), log_of(10, 20, 30))
    assert dut.telemetry(MeteredReading(1.0), MeteredReading(3.0)) == DutTelemetry(watts=25.0)
    assert dut.telemetry(None, MeteredReading(3.0)).watts is None
    assert DutTelemetry.from_json(DutTelemetry(watts=25.0).to_json()).watts == 25.0
    assert DutTelemetry.from_json(DutTelemetry(interval_s=1.0, watts=25.0).to_json()).watts == 25.0
    with pytest.raises(ValueError, match="watts of dut is 'x'"):
        DutTelemetry.from_json({"watts": "x"})


def test_no_meter_no_wrapping():
    device = NoDut()
    with metered(device, "") as (told, facts):
        assert told is device and facts is None


def test_idle_is_measured_before_the_load_unless_it_is_given(monkeypatch):
    monkeypatch.setattr("wirespeed.power.metered.IDLE_S", 0.2)
    with metered(None, "constant:19") as (_, facts):
        assert facts.idle_watts == 19.0
        assert facts.idle == "measured for 0.2 s before the load"
    with metered(None, "constant:19,idle=12") as (_, facts):
        assert (facts.idle_watts, facts.idle) == (12.0, "given")


def test_the_article_s_energy():
    """Netgate 6100: 19 W at 15.1 Mpps is 1.26 µJ a packet."""
    draw = Draw("hold", 15.1e6, 15.1e6, 19.0, 30)
    assert round(draw.packet_uj, 2) == 1.26
    assert draw.marginal_uj(12.0) == pytest.approx(7 / 15.1)
    assert draw.marginal_uj(None) is None
    assert Draw("hold", 1, 0, 19.0, 1).packet_uj is None


def test_the_watts_of_a_rate_are_those_of_the_nearest_load():
    loads = ((2e6, 2e6, 10.0), (4e6, 4e6, 14.0), (9e6, 5e6, 30.0), (3e6, 3e6, None))
    draws = tuple(Draw("step", *load, 5) for load in loads)
    power = Power("script", "all", None, "", draws, draws)
    assert power.most is not None and power.most.watts == 30.0
    near = [power.at(rate) for rate in (2.1e6, 3.8e6, 4.4e6, 5.4e6)]
    assert [draw.watts for draw in near if draw is not None] == [10.0, 14.0, 14.0, 30.0]
    assert (power.at(3e6), power.at(6e6)) == (None, None), "no reading within 10 %"


def test_a_figure_below_the_highest_load_is_per_watt_of_its_own_load():
    result = search_of()
    (goal, *_) = result.goals
    trials = tuple(
        replace(one, trial=replace(one.trial, dut=replace(one.trial.dut, watts=watts)))
        for one in result.trials
        for watts in (12.0 if one.load_pps <= goal.lower_pps else 40.0,)
    )
    metered = replace(result, trials=trials, lab=replace(result.lab, power=MeterFacts("script", "all")))
    entry = entry_of(metered, "search", verdict_of)
    (ndr,) = (one for one in entry.figures if one.name == "NDR")
    assert (entry.watts, ndr.per_watt) == (40.0, pytest.approx(ndr.rate_pps / 12.0))


def test_an_estimate_is_per_watt_of_the_sample_at_its_rate():
    """Samples of a ramp have 1.49, 2.98 and 4.46 Mpps, and the meter tells 0.6 of 14 W and more as the load rises."""
    entry = entry_of(loadtest(PLAIN), "ramp", verdict_of)
    forwarded, full = entry.figures
    assert (forwarded.mark, round(forwarded.rate_pps / 1e4)) == ("estimate", 298)
    assert forwarded.rate_pps / forwarded.per_watt == pytest.approx(14.0 * (0.6 + 0.4 * 2.976 / 5.01), rel=0.01)
    assert full.rate_pps / full.per_watt == pytest.approx(14.0)


# ---- the commands


@pytest.fixture
def patient(monkeypatch):
    """On a busy machine, a meter that is read late does not count as silent."""
    monkeypatch.setattr("wirespeed.power.log.STALE_S", 60.0)


QUICK = ["-p", "bench", "-t", "size=64", "-wm", "100kpps", "-wd", "0.1", "--interval", "0.1", "--steps", "1mpps,2mpps"]
QUICK += ["-hd", "0.4", "-q"]


def test_a_load_test_with_a_plug_has_watts_beside_each_sample(tmp_path, capsys, patient):
    file = tmp_path / "r.json"
    with SimulatedTrex() as trex, FakePlug("shelly2", 19.0) as plug:
        power = f"shelly:{plug.host},idle=12"
        assert main(["loadtest", "-s", trex.server, *QUICK[:-1], "--power", power, "-o", str(file)]) == 0
    assert "  power: 12.0 W idle, 19.0 W at " in capsys.readouterr().err
    result = read_file(file)
    assert {sample.dut["watts"] for sample in result.samples} == {19.0}
    found = power_of(result)
    assert (found.meter, found.idle_w, found.idle) == (f"shelly:{plug.host}", 12.0, "given")
    assert [draw.load for draw in found.draws] == ["1mpps", "2mpps"] and found.gaps == 0
    low, high = found.draws
    assert high is found.most and high.received_pps > 1.5 * low.received_pps
    assert high.packet_uj == pytest.approx(19.0 / high.received_pps * 1e6)
    assert high.marginal_uj(12.0) == pytest.approx(7.0 / high.received_pps * 1e6)
    assert main(["report", str(file), "--layout", "power", "--format", "csv"]) == 0
    idle, *rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (idle["load"], idle["watts"], idle["packet_uj"]) == ("idle", "12.0", "")
    assert [row["watts"] for row in rows] == ["19.0", "19.0"]
    assert main(["report", str(file), "--layout", "power", "--format", "md"]) == 0
    assert "µJ without idle" in capsys.readouterr().out
    assert main(["report", str(file), "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    titles = [panel["title"] for panel in unpacked(page)["figures"]["load-0"]["panels"]]
    assert "power (W)" in titles, "a panel under the chart"
    assert 'id="power"' in page and f"shelly:{plug.host}" in page


def test_a_plug_that_goes_away_leaves_gaps_and_no_zeros(tmp_path, monkeypatch, patient):
    monkeypatch.setattr("wirespeed.power.log.PERIOD_S", 0.05)
    file = tmp_path / "r.json"

    class Leaving(FakePlug):
        """Loses its meter in the second step."""

        def answer(self, path, proof):
            if trex.ports[0].history[-1][1] > 1.5e6:
                self.watts = None
            return super().answer(path, proof)

    with SimulatedTrex() as trex, Leaving("shelly2") as plug:
        words = ["loadtest", "-s", trex.server, *QUICK, "-hd", "1", "--power", f"shelly:{plug.host},idle=1"]
        assert main([*words, "-o", str(file)]) == 0
    result = read_file(file)
    told = [sample.dut.get("watts") for sample in result.samples]
    assert set(told) == {19.0, None}, told
    assert told[-1] is None
    found = power_of(result)
    assert found.draws[0].watts == 19.0
    assert found.gaps > 0
    assert "samples without a reading" in power_line(result)


def test_a_search_and_a_soak_have_watts_too(tmp_path, patient):
    search, soak = tmp_path / "search.json", tmp_path / "soak.json"
    with SimulatedTrex() as trex:
        common = ["-s", trex.server, "-p", "bench", "-t", "size=64", "-q", "--power", "constant:19,idle=12"]
        assert main(["search", *common, "--mrr", "2x0.1", "-o", str(search)]) == 0
        assert main(["soak", *common, "--load", "1mpps", "--duration", "1.5", "-o", str(soak)]) == 0
    found = read_file(search)
    assert isinstance(found, SearchResult)
    assert {one.trial.dut.watts for one in found.trials} == {19.0}
    for result in (found, read_file(soak)):
        power = power_of(result)
        assert power.most.watts == pytest.approx(19.0)
        assert power.most.packet_uj == pytest.approx(19.0 / power.most.received_pps * 1e6)


@pytest.mark.parametrize(
    ("power", "code", "sentence"),
    [
        ("mains", 2, "--power mains: there is no such meter; give rapl, hwmon[:NAME]"),
        ("shelly:127.0.0.1:1", 4, "power meter shelly:127.0.0.1:1: no answer"),
        ("command:exit 3", 4, "power meter command:exit 3: /bin/sh failed: code 3"),
    ],
)
def test_a_meter_that_cannot_be_used_is_one_line(power, code, sentence, capsys):
    with SimulatedTrex() as trex:
        assert main(["loadtest", "-s", trex.server, *QUICK, "--power", power]) == code
        assert trex.idle
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_a_search_without_a_meter_says_nothing_of_power():
    golden = Path(__file__).parents[1] / "golden/report/wirespeed.json"
    assert power_of(read_file(golden)) is None
    assert power_line(read_file(golden)) == ""
