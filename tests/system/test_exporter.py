"""`wirespeed exporter` as a process: a lab under load, curl, promtool; targets that disappear, hang and restart."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from built_lab import BuiltLab, built_lab
from harness.programs import run_wirespeed, wirespeed
from harness.waiting import PATIENCE_S, wait_for
from prometheus_client.parser import text_string_to_metric_families

import telemetry
from telemetry.rehearsal.server import prometheus

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


AS_ROOT = os.geteuid() == 0
"""A DUT's counters are read as root. Without root the tests read all other targets."""


class Exporter:
    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url

    def page(self) -> str:
        done = subprocess.run(["curl", "-sSf", self.url], capture_output=True, text=True, check=True)
        return done.stdout

    def values(self, name: str) -> dict[tuple[str, ...], float]:
        """By the values of its labels, in the order of their names."""
        return {
            tuple(value for _, value in sorted(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(self.page())
            for sample in family.samples
            if sample.name == name
        }

    def wait_for(self, name: str, labels: tuple[str, ...], value: float) -> None:
        wait_for(lambda: self.values(name).get(labels) == value, f"{value} as {name}{labels}")


@contextmanager
def exporter(*words: str) -> Iterator[Exporter]:
    command = wirespeed("exporter", "--listen", "127.0.0.1:0", *words)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("http"), process.stderr.read() if process.stderr else ""
            yield Exporter(process, line.partition(": ")[0])
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=PATIENCE_S)


def _restart(lab: BuiltLab) -> None:
    lab.router.stop()
    lab.router.start()


def _load(lab: BuiltLab, result: Path) -> subprocess.Popen[str]:
    words = ["loadtest", "-q", "-s", lab.rpc, "--dut", lab.dut, "-p", "bench", "-t", "size=64"]
    words += ["-wd", "0.3", "-rd", "1.5", "-hd", "0.5", "-rt", "100kpps", "--latency", "1kpps", "-o", str(result)]
    return subprocess.Popen(wirespeed(*words), text=True)


def _router_counts_what_was_sent(told: Exporter) -> bool:
    """Each target is read at another time, so the router's counters may be older than the generator's."""
    sent = told.values("wirespeed_generator_tx_packets_total")["0", "tester"]
    refused = told.values("wirespeed_generator_unsent_packets_total")["0", "refused", "tester"]
    counted = told.values("wirespeed_router_interface_rx_packets_total")["e0", "dut"]
    return 0 < sent <= counted + refused


def test_a_lab_under_load_is_told_and_promtool_has_no_complaint(tmp_path):
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed (Debian's package prometheus)")
    result = tmp_path / "64b.json"
    with built_lab() as lab:
        words = ["--router", f"dut={lab.control_socket}", "--generator", f"tester={lab.rpc}"]
        words += ["--dut", "box=linux:local"] if AS_ROOT else []
        with exporter(*words, "--result", str(result)) as told:
            told.wait_for("wirespeed_up", ("test", "64b"), 0)
            told.wait_for("wirespeed_up", ("router", "dut"), 1)
            with _load(lab, result) as test:
                told.wait_for("wirespeed_test_phase", ("ramp", "64b"), 1.0)
                page = told.page()
                assert test.wait(timeout=PATIENCE_S) == 0
            told.wait_for("wirespeed_test_running", ("loadtest", "64b"), 0.0)
            checked = subprocess.run(
                ["promtool", "check", "metrics"], input=page, capture_output=True, text=True, check=False
            )
            assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
            for family in ("worker_clocks_total", "vector_size_count", "fib_routes", "neighbors", "buffers"):
                assert f"wirespeed_router_{family}{{" in page
            if AS_ROOT:
                assert told.values("wirespeed_up")["dut", "box"] == 1
                assert 'wirespeed_dut_cpu_seconds_total{cpu="0"' in page
            assert told.values("wirespeed_loadtest_latency_seconds_count")["0→1", "64b"] > 0
            wait_for(lambda: _router_counts_what_was_sent(told), "a router's reading that is newer than the test")
            assert told.values("wirespeed_router_fib_routes")["ip4", "dut"] > 0

            _restart(lab)
            told.wait_for("wirespeed_target_restarts_total", ("router", "dut"), 1.0)
            lab.router.stop()
            told.wait_for("wirespeed_up", ("router", "dut"), 0.0)
            assert told.values("wirespeed_up")["generator", "tester"] == 1
            told.process.send_signal(signal.SIGINT)
            assert told.process.wait(timeout=PATIENCE_S) == 0
            said = told.process.stderr.read() if told.process.stderr else ""
            assert re.findall(r"(?m)^wirespeed: router dut is down: .+$", said)
            assert "Traceback" not in said


@pytest.mark.skipif(not AS_ROOT, reason="the target that answers is this machine, whose counters are read as root")
def test_targets_that_hang_or_lie_are_down_alone(tmp_path):
    (tmp_path / "lies.stats").write_bytes(b"\xff" * 4096)
    with socket.socket() as silent, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as mute:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        mute.bind(str(tmp_path / "mute.sock"))
        mute.listen()
        words = ["--stats", f"lies={tmp_path}/lies.stats", "--stats", f"mute={tmp_path}/mute.sock"]
        words += ["--scrape", f"hangs=http://127.0.0.1:{silent.getsockname()[1]}/", "--timeout", "0.3"]
        with exporter(*words, "--dut", "here=linux:local", "--timeout", "1") as told:
            for labels in (("router", "lies"), ("router", "mute"), ("metrics", "hangs")):
                told.wait_for("wirespeed_up", labels, 0)
            told.wait_for("wirespeed_up", ("dut", "here"), 1)


SHIPPED = Path(telemetry.__file__).parent / "prometheus"


@pytest.mark.long("a Prometheus that evaluates alerts; the test above has targets that hang without one")
@pytest.mark.parametrize("is_shipped", [False, True])
def test_a_target_that_hangs_costs_prometheus_no_other_one(is_shipped, tmp_path):
    """The shipped configuration and alerts; the short form evaluates each second and waits for one."""
    if shutil.which("prometheus") is None:
        pytest.skip("Debian's prometheus is missing")
    rules = tmp_path / "rules"
    shutil.copytree(SHIPPED / "rules", rules)
    config = (SHIPPED / "prometheus.yml").read_text()
    if not is_shipped:
        config = config.replace("evaluation_interval: 5s", "evaluation_interval: 1s")
        (rules / "alerts.yml").write_text((rules / "alerts.yml").read_text().replace("for: 10s", "for: 1s"))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        hangs = f"hangs=http://127.0.0.1:{silent.getsockname()[1]}/"
        machine = ["--dut", "here=linux:local"] if AS_ROOT else []
        with exporter("--scrape", hangs, "--power", "meter=constant:19", *machine) as told:
            where = told.url.removeprefix("http://").removesuffix("/metrics")
            assert "127.0.0.1:19482" in config
            with prometheus(config.replace("127.0.0.1:19482", where), sorted(rules.iterdir())) as server:
                firing = 'ALERTS{alertname="TargetDown", alertstate="firing"}'
                (alert,) = wait_for(lambda: server.query(firing), "an alert for the target that hangs")
                assert alert.labels["target"] == "hangs"
                others = 'ALERTS{alertstate="firing", target!="hangs"} or min_over_time(up[1m]) < 1'
                assert server.query(others) == []
                lowest = server.query('min_over_time(wirespeed_up{target!="hangs"}[1m])')
                assert {series.labels["target"]: series.last for series in lowest} == {"meter": 1} | (
                    {"here": 1} if AS_ROOT else {}
                )
                assert [series.last for series in server.query("wirespeed_power_watts")] == [19]


def test_a_taken_port_is_one_line_and_ctrl_c_ends_while_a_target_hangs(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as mute:
        mute.bind(str(tmp_path / "mute.sock"))
        mute.listen()
        with exporter("--stats", f"mute={tmp_path}/mute.sock", "--timeout", "0.2") as told:
            port = told.url.split(":")[2].partition("/")[0]
            second = run_wirespeed("exporter", "--listen", f"127.0.0.1:{port}", "--stats", "/nowhere")
            assert second.returncode == 3
            assert second.stderr == (
                f"wirespeed: 127.0.0.1:{port}: cannot listen (Address already in use); "
                "give another address with --listen\n"
            )
            told.page()
            leave_halves(told)


def test_https_with_a_password(tmp_path):
    made = ["-subj", "/CN=localhost", "-days", "1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", f"{tmp_path}/key", "-out", f"{tmp_path}/cert"]
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *made, *files]
    subprocess.run(words, check=True, capture_output=True)
    (tmp_path / "auth").write_text("anna:secret\n")
    words = ["--stats", "/nowhere", "--auth-file", f"{tmp_path}/auth"]
    with exporter(*words, "--tls-cert", f"{tmp_path}/cert", "--tls-key", f"{tmp_path}/key") as told:
        curl = ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", f"{tmp_path}/cert", told.url]
        codes = [
            subprocess.run([*curl, *more], capture_output=True, text=True, check=True).stdout
            for more in ([], ["-u", "anna:wrong"], ["-u", "anna:secret"])
        ]
        assert codes == ["401", "401", "200"]
        leave_halves(told)


HALVES = (
    b"",
    b"G",
    b"GET /metrics HTTP/1.1\r\nHost: 127",
    b"\x16\x03\x01\x02",
    b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab",
)


def leave_halves(told: Exporter) -> None:
    """Incomplete requests and handshakes, ended in each way: the exporter logs nothing about them, and
    keeps answering.
    """
    address = (told.url.split("/")[2].partition(":")[0], int(told.url.split(":")[2].partition("/")[0]))
    for half in HALVES:
        for is_reset in (False, True):
            with socket.create_connection(address) as client:
                client.sendall(half)
                if is_reset:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    told.process.send_signal(signal.SIGINT)
    assert told.process.wait(timeout=PATIENCE_S) == 0
    said = told.process.stderr.read() if told.process.stderr else ""
    assert re.fullmatch(r"(wirespeed: router \S+ is down: .+\n)*", said), said
