"""T-Rex's platform file as the generator's own options, and the keys that have no meaning here."""

from __future__ import annotations

import os
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from fake_generator import FakeGenerator
from harness.ports import free_port
from trex_differences import LEFT_OUT

from wirespeed.cli.generator import settle
from wirespeed.cli.main import main
from wirespeed.errors import EnvironmentFault, FileFault, UsageError
from wirespeed.generator.server import Server
from wirespeed.generator.trex_cfg import TAKEN, PortHost, TrexConfig, read_trex_cfg

FULL = """
- version: 2
  port_limit: 2
  interfaces: ["02:00.0", "5b:00.0/1", "03:00.0"]
  enable_zmq_pub: true
  zmq_rpc_port: 4601
  prefix: setup1
  limit_memory: 1024
  c: 2
  rx_desc: 2048
  tx_desc: 512
  port_mtu: 9000
  dpdk_devargs: ['txq_inline_min=1', 'rxq_cqe_comp_en=0']
  port_info:
    - default_gw: 10.0.0.254
      dest_mac: 12:34:56:12:34:56
      src_mac: [0x2, 0x0, 0x0, 0x0, 0x0, 0x0a]
      ip: 10.0.0.1
      mask: 255.255.255.0
      vlan: 15
    - default_gw: 10.0.1.254
      ip: 10.0.1.1
      dest_mac: [0x0, 0x0, 0x0, 0x0, 0x0, 0x0]
  memory: {mbuf_64: 16380}
  platform:
    master_thread_id: 0
    latency_thread_id: 5
    dual_if:
      - socket: 0
        threads: [1, 2, 3]
"""


def read(tmp_path: Path, text: str, usable: tuple[int, ...] = tuple(range(8))) -> TrexConfig:
    file = tmp_path / "trex_cfg.yaml"
    file.write_text(text)
    return read_trex_cfg(file, usable)


def test_a_whole_file(tmp_path: Path) -> None:
    config = read(tmp_path, FULL)
    assert [(one.kind, one.target, one.device_port) for one in config.ports] == [
        ("pci", "0000:02:00.0", None),
        ("pci", "0000:5b:00.0", 1),
    ]
    first = config.ports[0]
    assert (first.mac, first.rx_descriptors, first.tx_descriptors) == ("02:00:00:00:00:0a", 2048, 512)
    assert first.devargs(0) == "0000:02:00.0,txq_inline_min=1,rxq_cqe_comp_en=0"
    assert config.dest_macs == ("12:34:56:12:34:56", None)
    assert config.hosts == (
        PortHost(IPv4Address("10.0.0.1"), IPv4Address("10.0.0.254"), "12:34:56:12:34:56", 15),
        PortHost(IPv4Address("10.0.1.1"), IPv4Address("10.0.1.254")),
    )
    assert (config.cpu, config.main_cpu, config.memory_mb, config.mtu) == ("1,2/", "0", 1024, 9000)
    assert config.rpc_port == 4601
    assert config.notice == (
        f"{tmp_path}/trex_cfg.yaml: no meaning here, left out: enable_zmq_pub, memory, platform.dual_if.socket, "
        "platform.latency_thread_id, port_info.mask, prefix, version"
    )


@pytest.mark.parametrize(
    ("interface", "spec"),
    [
        ("0000:03:00.01", "pci:0000:03:00.1"),
        ("03:00.0", "pci:0000:03:00.0"),
        ("'5b:00.0/1'", "pci:0000:5b:00.0,port=1"),
        ("eth1", "af_packet:eth1"),
        ("'--vdev=net_af_packet0,iface=eth1'", "af_packet:eth1"),
        ("'--vdev=net_memif0,role=slave,id=1,socket=/run/a.sock'", "memif:/run/a.sock,role=client,id=1"),
        ("'--vdev=net_tap0,iface=t0'", "vdev:net_tap0,iface=t0"),
        ("dummy", "ring:dummy0"),
    ],
)
def test_interfaces(tmp_path: Path, interface: str, spec: str) -> None:
    assert [str(one) for one in read(tmp_path, f"- interfaces: [{interface}]\n").ports] == [spec]


@pytest.mark.parametrize(
    ("keys", "cpu", "main_cpu"),
    [
        ("", "", ""),
        ("c: 3", "2,3,4/5,6,7", ""),
        ("{c: 1, platform: {master_thread_id: 7}}", "5/6", "7"),
        ("platform: {master_thread_id: 0, dual_if: [{threads: [1, 2]}, {threads: [3]}]}", "1,2/3", "0"),
        ("{c: 1, platform: {master_thread_id: 0, dual_if: [{threads: [1, 2]}, {threads: [3]}]}}", "1/3", "0"),
        ("low_end: true", "0", "0"),
        ("{low_end: true, low_end_core: 3}", "3", "3"),
    ],
)
def test_cpus(tmp_path: Path, keys: str, cpu: str, main_cpu: str) -> None:
    more = f"  {keys}\n" if keys and not keys.startswith("{") else "".join(f"  {one}\n" for one in _split(keys))
    config = read(tmp_path, f"- interfaces: [a, b, c, d]\n{more}")
    assert (config.cpu, config.main_cpu) == (cpu, main_cpu)


def _split(keys: str) -> list[str]:
    """The keys of a mapping in braces, each on a line."""
    first, _, rest = keys.strip("{}").partition(", ") if keys else ("", "", "")
    return [first, rest + "}" * (rest.count("{") - rest.count("}"))] if keys else []


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("- version: 2\n", UsageError, "has no list of `interfaces`"),
        ("[", FileFault, "is not YAML"),
        ("- interfaces: [02-00.0:1]\n", UsageError, "interface '02-00.0:1' is not a PCI address"),
        ("- interfaces: [a]\n  c: 9\n", UsageError, "c: 9 needs 9 CPUs for 1 pair(s) of ports"),
        ("- interfaces: [a]\n  c: many\n", UsageError, "'many' is not a whole number"),
        ("- interfaces: [a]\n  port_info: [{dest_mac: 1}]\n", UsageError, "is not a MAC address"),
        ("- interfaces: [a]\n  port_info: [{ip: 1.2.3}]\n", UsageError, "ip: "),
        ("- interfaces: [a]\n  port_info: [{vlan: 4096}]\n", UsageError, "vlan: 4096 is above 4095"),
        ("- interfaces: [a, b, c]\n  platform: {dual_if: [{threads: [1]}]}\n", UsageError, "1 lists of threads for 2"),
    ],
)
def test_what_cannot_be_used(tmp_path: Path, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match="trex_cfg.yaml") as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_half_an_address_is_left_out(tmp_path: Path) -> None:
    config = read(tmp_path, "- interfaces: [a, b]\n  port_info:\n    - ip: 10.0.0.1\n    - default_gw: 10.0.0.1\n")
    assert config.hosts == (PortHost(), PortHost())
    assert config.notice.endswith("port_info.ip without default_gw, port_info.default_gw without ip")


def test_ports_get_their_addresses() -> None:
    core = FakeGenerator()
    server = Server(core)
    hosts = (
        PortHost(IPv4Address("10.0.0.1"), IPv4Address("10.0.0.2"), vlan=5),
        PortHost(IPv4Address("10.0.0.2"), IPv4Address("10.0.0.1"), vlan=5),
    )
    for port, host in zip(server.ports, hosts, strict=True):
        settle(server, port, host)
    for _ in range(3):
        core.advance(0.1)
        server.tick()
    assert [port.layers.dst_mac for port in server.ports] == ["02:00:00:00:00:02", "02:00:00:00:00:01"]
    assert all(port.layers.resolved for port in server.ports)


def test_the_generator_takes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[object] = []

    def no_runtime(name: str, cpus: object, memory_mb: object, *_: object, **__: object) -> None:
        started.append((cpus, memory_mb))
        raise EnvironmentFault("as far as this test goes")

    monkeypatch.setattr("wirespeed._native.runtime.start_runtime", no_runtime)
    file = tmp_path / "trex_cfg.yaml"
    file.write_text("- version: 2\n  interfaces: [dummy, dummy]\n  limit_memory: 777\n")
    cpu = min(os.sched_getaffinity(0))
    assert main(["generator", "--trex-cfg", str(file), "--cpu", str(cpu), "--rpc", f"127.0.0.1:{free_port()}"]) == 3
    assert started == [((cpu,), 777)]
    assert "no meaning here, left out: version (docs/from-trex.md)" in capsys.readouterr().err
    assert main(["generator", "--trex-cfg", str(file), "--port", "null"]) == 2
    assert "not both" in capsys.readouterr().err


def test_no_key_has_a_meaning_and_none() -> None:
    assert not TAKEN.keys() & LEFT_OUT.keys()
