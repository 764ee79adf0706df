"""snappi, the real client, with `wirespeed generator --otg`: two ports connected by a ring."""

from __future__ import annotations

import json
import ssl
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import snappi
from harness.programs import run_wirespeed
from harness.waiting import wait_for
from otg_api import add_flow, flow_metrics, port_metrics, serving, stopped, transmit, two_ports

from wirespeed.machine.ports import free_rpc_port

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


def test_what_is_sent_is_counted_by_flow_and_by_port(api: Any) -> None:
    config = two_ports(api)
    add_flow(config, "f1", 100)
    add_flow(config, "f2", 250)
    api.set_config(config)
    transmit(api, "start")
    metrics = stopped(api)
    for name, packets in (("f1", 100), ("f2", 250)):
        one = metrics[name]
        assert (one.frames_tx, one.frames_rx, one.bytes_tx, one.loss) == (packets, packets, 128 * packets, 0)
    ports = port_metrics(api)
    assert (ports["p1"].frames_tx, ports["p2"].frames_rx, ports["p2"].bytes_rx) == (350, 350, 350 * 128)
    assert (ports["p1"].link, ports["p1"].transmit, ports["p1"].location) == ("up", "stopped", "0")


def test_single_flows_start_and_counters_begin_anew(api: Any) -> None:
    config = two_ports(api)
    add_flow(config, "f1", 10)
    add_flow(config, "f2", 20)
    api.set_config(config)
    for _ in range(2):
        transmit(api, "start", "f2")
        metrics = stopped(api)
        assert (metrics["f1"].frames_tx, metrics["f2"].frames_tx, metrics["f2"].frames_rx) == (0, 20, 20)


def test_a_flow_goes_on_until_it_is_stopped(api: Any) -> None:
    config = two_ports(api)
    add_flow(config).duration.continuous.gap = 12
    api.set_config(config)
    transmit(api, "start")
    wait_for(lambda: flow_metrics(api)["f1"].frames_rx >= 100, "nothing arrives")
    transmit(api, "pause")
    assert flow_metrics(api)["f1"].transmit == "paused"
    transmit(api, "resume")
    assert flow_metrics(api)["f1"].transmit == "started"
    transmit(api, "stop")
    metric = stopped(api)["f1"]
    assert metric.frames_tx == metric.frames_rx >= 100


def test_links_go_down_and_come_up(api: Any) -> None:
    api.set_config(two_ports(api))
    for state in ("down", "up"):
        control = api.control_state()
        control.port.link.port_names, control.port.link.state = ["p1"], state
        api.set_control_state(control)
        assert port_metrics(api)["p1"].link == state


def test_latency_is_measured(api: Any) -> None:
    config = two_ports(api)
    add_flow(config).metrics.latency.enable = True
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert metric.frames_rx == 100
    assert 0 < metric.latency.minimum_ns <= metric.latency.average_ns <= metric.latency.maximum_ns


def test_sizes_of_a_mix_and_time_that_ends(api: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config, packets=120)
    flow.size.weight_pairs.predefined = "imix"
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert (metric.frames_rx, metric.bytes_rx) == (120, 70 * 64 + 40 * 570 + 10 * 1518)
    flow.duration.fixed_seconds.seconds = 0.2
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert metric.frames_tx == metric.frames_rx > 0


def test_the_clients_version_check_passes(served: tuple[str, str]) -> None:
    api = snappi.api(location=served[1], version_check=True)
    api.set_config(two_ports(api))
    assert [port.name for port in api.get_config().ports] == ["p1", "p2"]


def test_an_address_that_cannot_be_had_ends_the_program() -> None:
    rpc = f"127.0.0.1:{free_rpc_port()}"
    ended = run_wirespeed("generator", "--port", "null", "--rpc", rpc, "--otg", "nowhere", timeout=60)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "give HOST:PORT" in ended.stderr


def test_flows_by_https(tmp_path: Path) -> None:
    pem = tmp_path / "otg.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    request = ["openssl", "req", "-x509", *kind, "-subj", "/CN=otg", "-days", "1"]
    subprocess.run([*request, "-keyout", f"{pem}.key", "-out", f"{pem}.crt"], check=True, capture_output=True)
    pem.write_bytes(Path(f"{pem}.key").read_bytes() + Path(f"{pem}.crt").read_bytes())
    cert = ["--otg-cert", str(pem)]
    ports = ["ring:loop,speed=10G", "ring:loop,speed=10G"]
    with serving(tmp_path / "log", ports, *cert, scheme="https") as (_, url):
        api = snappi.api(location=url, verify=False)
        config = two_ports(api)
        add_flow(config, packets=50)
        api.set_config(config)
        transmit(api, "start")
        assert stopped(api)["f1"].frames_rx == 50
        trusting = ssl.create_default_context(cafile=str(pem))
        trusting.check_hostname = False
        with urllib.request.urlopen(f"{url}/capabilities/version", timeout=30, context=trusting) as answer:
            assert json.load(answer)["app_version"] == "wirespeed"
