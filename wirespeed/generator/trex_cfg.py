"""T-Rex's platform file (`/etc/trex_cfg.yaml`): its ports, addresses, CPUs and sizes as the generator's own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from typing import Any, TypeVar

from wirespeed.errors import FileFault, UsageError
from wirespeed.files import read_text_file
from wirespeed.generator.port_layers import MAX_VLAN
from wirespeed.model import PCI_ADDRESS, PortSpec, parse_mac, parse_port_spec
from wirespeed.yaml_values import value_of

_MOST_BYTES = 1 << 20
_NO_MAC = "00:00:00:00:00:00"
_VDEV = "--vdev="

TAKEN = {
    "interfaces": "`--port`, once for each: `02:00.0` is `pci:0000:02:00.0`; `5b:00.0/1` is `pci:0000:5b:00.0,port=1`; "
    "a Linux name is `af_packet:eth1`; `--vdev=…` is that device of DPDK, e.g. `af_packet:` or `memif:`; "
    "`dummy` is a separate `ring:`. NICs must be bound to vfio-pci",
    "port_limit": "number of interfaces to use, from the first",
    "dpdk_devargs": "options of the driver of each PCI port",
    "rx_desc": "`rxd=` of each port",
    "tx_desc": "`txd=` of each port",
    "port_mtu": "`--mtu`",
    "limit_memory": "`--memory`",
    "zmq_rpc_port": "the port of `--rpc`, at 127.0.0.1",
    "c": "number of CPUs per pair of ports: the first of its `threads`, all if `c` is missing. Without `platform` the "
    "last CPUs that the process may use",
    "low_end": "`--cpu` and `--main-cpu` are the same CPU",
    "low_end_core": "that CPU; 0 if missing",
    "port_info.dest_mac": "`--dest-mac`; a client's `set_l2` changes it",
    "port_info.src_mac": "`mac=` of the port",
    "port_info.ip": "address of the port if a `default_gw` is given: the port answers ARP and ping, as after the "
    "console's `l3`",
    "port_info.default_gw": "gateway of the port, resolved by ARP unless there is a `dest_mac`",
    "port_info.vlan": "tag of ARP and ping, as after the console's `vlan`; a profile tags the load by a `Dot1Q` layer",
    "platform.master_thread_id": "`--main-cpu`",
    "platform.dual_if.threads": "`--cpu 2-5/6-9`: the lists of the pairs, in the ports' order",
}
"""Keys with a meaning here; options of the command line override them."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class PortHost:
    """Host that a port answers for; `gateway` requires `address`, `gateway_mac` is the gateway's MAC if known."""

    address: IPv4Address | None = None
    gateway: IPv4Address | None = None
    gateway_mac: str | None = None
    vlan: int | None = None


@dataclass(frozen=True)
class TrexConfig:
    """Settings of the file; None or empty if it does not have them. `notice` lists the keys that were ignored."""

    ports: tuple[PortSpec, ...]
    dest_macs: tuple[str | None, ...]
    hosts: tuple[PortHost, ...]
    cpu: str
    main_cpu: str
    memory_mb: int | None
    mtu: int | None
    rpc_port: int | None
    notice: str


def read_trex_cfg(path: Path, usable: Sequence[int] | None = None) -> TrexConfig:
    """`usable` are the CPUs that the process may use. FileFault for a file that cannot be read, UsageError for one that
    is not a T-Rex configuration or has a value that cannot be used."""
    fields = _fields(path)
    try:
        return _config(fields, sorted(os.sched_getaffinity(0)) if usable is None else usable, path)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _fields(path: Path) -> dict[str, Any]:
    """The first element of the file's list, as T-Rex takes it. All scalars are texts: YAML reads `02:00.0` and some MAC
    addresses as numbers of base 60."""
    import yaml  # noqa: PLC0415 - slow, and seldom needed

    text = read_text_file(path, "T-Rex configuration", _MOST_BYTES).decode(errors="replace")
    try:
        document = value_of(text, yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise FileFault(f"T-Rex configuration {path} is not YAML: {' '.join(str(error).split())}") from None
    first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict) or not isinstance(first.get("interfaces"), list):
        raise UsageError(f"{path} is not a T-Rex configuration: it has no list of `interfaces`")
    return first


def _config(fields: Mapping[str, Any], usable: Sequence[int], path: Path) -> TrexConfig:
    names = [str(one) for one in fields["interfaces"]]
    limit = _read(fields, "port_limit", _whole)
    devargs = ",".join(str(one) for one in _list(fields, "dpdk_devargs"))
    specs = [_port(name, place, devargs) for place, name in enumerate(names[:limit])]
    if not specs:
        raise UsageError("`interfaces` lists no port; name at least one")
    infos = [one if isinstance(one, dict) else {} for one in _list(fields, "port_info")[: len(specs)]]
    infos += [{}] * (len(specs) - len(infos))
    macs = [(_read(one, "src_mac", _mac), _read(one, "dest_mac", _mac)) for one in infos]
    rings = {"rx_descriptors": _read(fields, "rx_desc", _whole), "tx_descriptors": _read(fields, "tx_desc", _whole)}
    options: dict[str, Any] = {key: value for key, value in rings.items() if value is not None}
    cpu, main_cpu = _cpus(fields, (len(specs) + 1) // 2, usable)
    left_out = sorted(set(_keys(fields)) - TAKEN.keys())
    left_out += ["port_info.ip without default_gw"] * any("ip" in one and "default_gw" not in one for one in infos)
    left_out += ["port_info.default_gw without ip"] * any("ip" not in one and "default_gw" in one for one in infos)
    return TrexConfig(
        ports=tuple(replace(spec, mac=source, **options) for spec, (source, _) in zip(specs, macs, strict=True)),
        dest_macs=tuple(destination for _, destination in macs),
        hosts=tuple(_host(one, destination) for one, (_, destination) in zip(infos, macs, strict=True)),
        cpu=cpu,
        main_cpu=main_cpu,
        memory_mb=_read(fields, "limit_memory", _whole),
        mtu=_read(fields, "port_mtu", _whole),
        rpc_port=_read(fields, "zmq_rpc_port", _whole),
        notice=f"{path}: no meaning here, left out: {', '.join(left_out)}" if left_out else "",
    )


def _keys(fields: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Keys with those that they are in, of the mappings whose keys have a meaning."""
    for key, value in fields.items():
        name = f"{before}{key}"
        if not any(known.startswith(f"{name}.") for known in TAKEN):
            yield name
            continue
        for one in value if isinstance(value, list) else [value]:
            yield from _keys(one if isinstance(one, dict) else {}, f"{name}.")


def _port(name: str, place: int, devargs: str) -> PortSpec:
    """The port that an element of `interfaces` is."""
    if name == "dummy":
        return parse_port_spec(f"ring:dummy{place}")
    if name.startswith(_VDEV):
        return _device(name.removeprefix(_VDEV))
    if ":" not in name:
        return parse_port_spec(f"af_packet:{name}")
    address, _, index = name.partition("/")
    # T-Rex's own examples write the function with two digits.
    address = re.sub(r"\.0([0-7])$", r".\1", address)
    if PCI_ADDRESS.fullmatch(address) is None:
        raise UsageError(f"interface {name!r} is not a PCI address such as 02:00.0, a Linux name, --vdev=… or dummy")
    spec = parse_port_spec(f"pci:{address}" + (f",port={index}" if index else ""))
    return replace(spec, options={"devargs": devargs}) if devargs else spec


def _device(text: str) -> PortSpec:
    """A DPDK device in DPDK's syntax; a memif uses wirespeed's own driver."""
    driver, _, rest = text.partition(",")
    arguments = dict(word.partition("=")[::2] for word in rest.split(",") if word)
    if driver.startswith("net_af_packet") and "iface" in arguments:
        return parse_port_spec(f"af_packet:{arguments['iface']}")
    if driver.startswith("net_memif"):
        socket = arguments.get("socket", "/run/memif.sock")
        role = {"master": "server", "slave": "client"}.get(arguments.get("role", ""), arguments.get("role", "client"))
        words = [f"role={role}", *(f"{key}={arguments[key]}" for key in ("id", "secret") if key in arguments)]
        return parse_port_spec(",".join([f"memif:{socket}", *words]))
    return PortSpec("vdev", text)


def _host(info: Mapping[str, Any], dest_mac: str | None) -> PortHost:
    address, gateway = _read(info, "ip", _address), _read(info, "default_gw", _address)
    vlan = _read(info, "vlan", _whole) or None
    if vlan is not None and vlan > MAX_VLAN:
        raise UsageError(f"vlan: {vlan} is above {MAX_VLAN}, the highest VLAN id")
    if gateway is None or address is None:
        return PortHost(vlan=vlan)
    return PortHost(address, gateway, dest_mac, vlan)


def _cpus(fields: Mapping[str, Any], pairs: int, usable: Sequence[int]) -> tuple[str, str]:
    """Values of `--cpu` and `--main-cpu`."""
    if str(fields.get("low_end", "")).lower() in ("true", "yes", "on"):
        core = str(_read(fields, "low_end_core", _whole) or 0)
        return core, core
    count = _read(fields, "c", _whole)
    platform = fields.get("platform")
    platform = platform if isinstance(platform, dict) else {}
    main = _read(platform, "master_thread_id", _whole)
    lists = [[_whole(one) for one in _list(pair, "threads")][:count] for pair in _list(platform, "dual_if")][:pairs]
    if not lists and count is not None:
        lists = _shares([cpu for cpu in usable if cpu != main], count, pairs)
    if lists and len(lists) < pairs:
        raise UsageError(
            f"platform.dual_if has {len(lists)} lists of threads for {pairs} pairs of ports; give one for each pair"
        )
    text = "/".join(",".join(map(str, one)) for one in lists)
    return text + "/" * (len(lists) == 1), "" if main is None else str(main)


def _shares(usable: Sequence[int], count: int, pairs: int) -> list[list[int]]:
    """The last CPUs, `count` for each pair."""
    if count * pairs > len(usable):
        raise UsageError(
            f"c: {count} needs {count * pairs} CPUs for {pairs} pair(s) of ports; this process may use {len(usable)} "
            "beside the main one: give a smaller c, or --cpu"
        )
    chosen = usable[len(usable) - count * pairs :]
    return [list(chosen[at : at + count]) for at in range(0, len(chosen), count)]


def _read(fields: Mapping[str, Any], key: str, convert: Callable[[Any], Value]) -> Value | None:
    """The value of a key; None if it is missing or empty."""
    value = fields.get(key) if isinstance(fields, dict) else None
    if value in (None, ""):
        return None
    try:
        return convert(value)
    except (ValueError, AddressValueError) as error:
        raise UsageError(f"{key}: {error}") from None


def _list(fields: Mapping[str, Any], key: str) -> list[Any]:
    value = fields.get(key) if isinstance(fields, dict) else None
    if value in (None, ""):
        return []
    if not isinstance(value, list):
        raise UsageError(f"{key} is not a list")
    return list(value)


def _whole(text: Any) -> int:
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,9}|0x[0-9a-fA-F]{1,8}", text):
        raise UsageError(f"{text!r} is not a whole number")
    return int(text, 0) if text.startswith("0x") else int(text)


def _mac(value: Any) -> str | None:
    """`12:34:56:78:9a:bc` or a list of six numbers; None for one of zeros, which T-Rex takes for a missing one."""
    text = value if isinstance(value, str) else ":".join(f"{_whole(one):02x}" for one in value)
    return None if text == _NO_MAC else parse_mac(text)


def _address(text: Any) -> IPv4Address:
    return IPv4Address(str(text))
