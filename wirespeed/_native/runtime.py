"""The runtime and the ports of one process: what router and generator share.

A process calls `start_runtime` once, then `open_ports` once; port i is the i-th spec. `close` ends both.
"""

from __future__ import annotations

import errno
import functools
import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from wirespeed._native.port_checks import check_ports
from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.model import DEFAULT_SPEED_BPS, PLAIN_MTU, PortSpec, mac_bytes
from wirespeed.seam.ports import PoolInfo, PortCounters, PortDevice, PortInfo, PortMedium, RxStart, WorkerInfo

Hugepages = Literal["auto", "never", "require"]

_HUGEPAGE_POOLS = Path("/sys/kernel/mm/hugepages")
_USAGE = {errno.EINVAL, errno.EEXIST, errno.ENOENT, errno.ERANGE, errno.E2BIG, errno.ENETUNREACH}
# Drivers that invent a link speed: memif reports 100G, vhost 10G.
_SPEEDLESS = {"memif", "vhost", "virtio", "ring", "null", "pcap"}
_Record = TypeVar("_Record")
# Sockets that this process listens on, where further memifs may join.
_memif_servers: set[str] = set()


@dataclass(frozen=True)
class RuntimeInfo:
    """Resources of the process; `notice` is the line to show once if they are less than they could be."""

    hugepages: bool
    march: int
    notice: str | None


class Handle(NamedTuple):
    """A router of the native core, with the library that it is of."""

    ffi: Any
    lib: Any
    router: Any


class RouterPart:
    """Base of the classes that call the core for one part of a router, such as its bonds."""

    def __init__(self, router: Handle) -> None:
        self._ffi, self._lib, self._router = router


@functools.cache
def core() -> Any:
    """The native module: `core().lib` and `core().ffi`. EnvironmentFault when it is not built."""
    try:
        return import_module("wirespeed._native._core")
    except ImportError as error:
        raise EnvironmentFault(f"the native core cannot be loaded ({error}); build it with: make") from None


def check(result: int) -> int:
    """Pass a count through; raise what the core says about a negative errno."""
    if result >= 0:
        return int(result)
    message = core().ffi.string(core().lib.ws_error()).decode(errors="replace")
    error = UsageError(message) if -result in _USAGE else EnvironmentFault(message or os.strerror(-result))
    error.errno = -result
    raise error


def from_struct(record: type[_Record], struct: Any, **known: Any) -> _Record:
    """A frozen dataclass from the fields of the same names of a C struct: char[] as text, uint8_t[6] as MAC."""
    ffi = core().ffi
    values: dict[str, Any] = dict(known)
    for name in (field.name for field in fields(record) if field.name not in known):  # type: ignore[arg-type]
        value = getattr(struct, name)
        if isinstance(value, ffi.CData):
            text = ffi.typeof(value).item.cname == "char"
            value = ffi.string(value).decode(errors="replace") if text else format_mac(bytes(value))
        values[name] = value
    return record(**values)


def format_mac(address: bytes) -> str:
    return address.hex(":")


def start_runtime(
    program: str,
    cpus: Sequence[int],
    memory_mb: int,
    hugepages: Hugepages,
    march: int = 0,
    *,
    shared_cpus: bool = False,
    verbose: bool = False,
) -> RuntimeInfo:
    """Start the data plane's runtime with one worker on each of `cpus`.

    `auto` takes hugepages when `memory_mb` of them are free and usable, and ordinary pages otherwise. With
    `shared_cpus` several workers may be on one CPU, where more of them are tried out than there are CPUs. UsageError
    for a CPU that is named twice without that, or a `march` above what the CPU has; EnvironmentFault for a CPU that
    does not exist and when the memory cannot be had.
    """
    ffi, lib = core().ffi, core().lib
    if len(cpus) > lib.WS_MAX_WORKERS:
        raise UsageError(f"{len(cpus)} CPUs given; at most {lib.WS_MAX_WORKERS} workers are possible")
    refusal = None if hugepages == "never" else hugepages_refusal(memory_mb)
    if refusal and hugepages == "require":
        raise EnvironmentFault(refusal)
    config = ffi.new("struct ws_runtime_config *")
    config.program = program.encode()[: lib.WS_NAME_LEN - 1]
    config.hugepages = hugepages != "never" and refusal is None
    config.memory_mb = memory_mb
    config.worker_count = len(cpus)
    for index, cpu in enumerate(cpus):
        if not 0 <= cpu < 1 << 16:
            raise EnvironmentFault(f"CPU {cpu} does not exist; this machine has CPUs 0 to {(os.cpu_count() or 1) - 1}")
        config.worker_cpus[index] = cpu
    config.shared_cpus = shared_cpus
    config.march = march
    config.verbose = verbose
    check(lib.ws_runtime_init(config))
    notice = f"using ordinary memory pages, which costs speed: {refusal}" if refusal else None
    return RuntimeInfo(bool(config.hugepages), lib.ws_march(), notice)


def hugepages_refusal(memory_mb: int, pools: Path = _HUGEPAGE_POOLS) -> str | None:
    """Why `memory_mb` of hugepages cannot be had, and the command that mends it; None when they can."""
    free_mb, usable = 0, False
    for pool in pools.glob("hugepages-*kB"):
        size_kb = int(pool.name.removeprefix("hugepages-").removesuffix("kB"))
        free = int((pool / "free_hugepages").read_text())
        free_mb += free * size_kb // 1024
        usable = usable or (free > 0 and _can_map(size_kb))
    if free_mb < memory_mb:
        # Added to those that are there then: two programs that both lack some are started side by side.
        more = (memory_mb - free_mb + 1) // 2
        return (
            f"{memory_mb} MB of hugepages are needed and {free_mb} MB are free; as root: "
            f"f={_HUGEPAGE_POOLS}/hugepages-2048kB/nr_hugepages; echo $(($(cat $f) + {more})) > $f"
        )
    if not usable:
        return f"{free_mb} MB of hugepages are free but this process may not map them; run as root"
    return None


def _can_map(size_kb: int) -> bool:
    """Map one hugepage the way DPDK does it, without any hugetlbfs mount."""
    shift = (size_kb * 1024).bit_length() - 1
    try:
        fd = os.memfd_create("wirespeed-probe", os.MFD_CLOEXEC | os.MFD_HUGETLB | shift << 26)
    except OSError:
        return False
    try:
        os.ftruncate(fd, size_kb * 1024)
        mmap.mmap(fd, size_kb * 1024).close()
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def pool_buffers(specs: Sequence[PortSpec], workers: int) -> int:
    """With how many buffers `open_ports` makes the packet pool of these ports, each with a TX queue for each worker;
    can be asked before there is a runtime."""
    ffi, lib = core().ffi, core().lib
    configs = ffi.new("struct ws_port_config[]", len(specs))
    for index, spec in enumerate(specs):
        _describe(configs[index], spec, "", index, workers)
    return int(lib.ws_pool_buffers(configs, len(specs), workers))


def router_held_buffers(workers: int) -> int:
    """Maximum number of packets in queues between the workers of a router, in addition to the rings of its ports."""
    return int(core().lib.ws_router_held_buffers(workers))


def open_ports(
    specs: Sequence[PortSpec],
    names: Sequence[str],
    *,
    min_tx_queues: int = 1,
    mtu: int = PLAIN_MTU,
    promiscuous: bool = False,
    chains: bool = False,
    held_buffers: int = 0,
    min_buffers: int = 0,
    min_buffer_size: int = 0,
) -> None:
    """Open and start all ports of the process; port i is `specs[i]`, called `names[i]`.

    Every worker that sends needs a TX queue of its own: say so with `min_tx_queues`. A port takes fewer when its
    driver has fewer. `mtu` is in layer 3 bytes, of the ports whose spec says none. With `chains` packets that lie in
    several buffers may be sent, which costs some drivers their fastest path. A name that holds `%s` gets there what VPP
    calls an Ethernet of the device's speed. The packet pool is sized for the ports' rings and `held_buffers` more, and
    has at least what `min_…` say. EnvironmentFault when a port is in use, missing or not permitted.
    """
    ffi, lib = core().ffi, core().lib
    if len(specs) > lib.WS_MAX_PORTS:
        raise UsageError(f"{len(specs)} ports given; at most {lib.WS_MAX_PORTS} are possible")
    check_ports(specs)
    # The AF_PACKET driver asks for buffers of its ring's frames.
    min_buffer_size = max([min_buffer_size, *(spec.ring_frame_bytes(mtu) for spec in specs)])
    lib.ws_pool_configure(held_buffers, min_buffers, min_buffer_size)
    configs = ffi.new("struct ws_port_config[]", len(specs))
    for index, (spec, name) in enumerate(zip(specs, names, strict=True)):
        _describe(configs[index], spec, name, index, min_tx_queues, mtu, promiscuous=promiscuous, chains=chains)
    check(lib.ws_ports_open(configs, len(specs)))
    for spec in specs:
        _note_server(spec)


def _note_server(spec: PortSpec) -> None:
    if spec.kind == "memif" and spec.options.get("role") == "server":
        _memif_servers.add(spec.target)


def port_config(spec: PortSpec, name: str, number: int, *, min_tx_queues: int, rx_start: RxStart) -> Any:
    """The core's description of one more port; `number` makes the name of its device unique."""
    check_ports([spec], _memif_servers)
    _note_server(spec)
    config = core().ffi.new("struct ws_port_config *")
    _describe(config, spec, name, number, min_tx_queues, chains=True)
    config.rx_start = rx_start
    return config


def _describe(
    config: Any,
    asked: PortSpec,
    name: str,
    number: int,
    min_tx_queues: int,
    mtu: int = PLAIN_MTU,
    *,
    promiscuous: bool = False,
    chains: bool = False,
) -> None:
    lib = core().lib
    spec = replace(asked, tx_queues=max(asked.tx_queues, min_tx_queues))
    devargs = spec.devargs(number, mtu).encode()
    if len(name.encode()) >= lib.WS_NAME_LEN:
        raise UsageError(f"port {asked}: its name has {len(name.encode())} bytes, of at most {lib.WS_NAME_LEN - 1}")
    if len(devargs) >= lib.WS_DEVARGS_LEN:
        most = lib.WS_DEVARGS_LEN - 1
        raise UsageError(
            f"port {asked}: its device and options have {len(devargs)} bytes, of at most {most}; shorten its paths"
        )
    config.name, config.devargs = name.encode(), devargs
    config.rx_queues, config.tx_queues = spec.rx_queues, spec.tx_queues
    config.rx_descriptors, config.tx_descriptors = spec.rx_descriptors, spec.tx_descriptors
    config.mtu, config.promiscuous, config.chains = spec.carries(mtu), promiscuous, chains
    if spec.device_port is not None:
        config.has_device_port, config.device_port = True, spec.device_port
    config.speed_bps = spec.speed_bps or (DEFAULT_SPEED_BPS if spec.kind in _SPEEDLESS else 0)
    if spec.mac is not None:
        config.has_mac, config.mac = True, mac_bytes(spec.mac)


def port_info(port: int) -> PortInfo:
    struct = core().ffi.new("struct ws_port_info *")
    check(core().lib.ws_port_info(port, struct))
    return from_struct(PortInfo, struct, medium=PortMedium(struct.medium))


def link_losses(port: int) -> int | None:
    """Link losses of the port since its interface was made; None if they are not counted."""
    losses = int(core().lib.ws_port_link_losses(port))
    return losses if losses >= 0 else None


def port_device(port: int) -> PortDevice | None:
    """None of a port that none of DPDK's drivers makes."""
    struct = core().ffi.new("struct ws_port_device *")
    if core().lib.ws_port_device(port, struct) == -errno.ENOTSUP:
        return None
    lists = {
        name: tuple(core().ffi.string(getattr(struct, name)).decode(errors="replace").split())
        for name in (f"{what}_{state}" for what in ("rx", "tx", "hash") for state in ("offered", "active"))
    }
    return from_struct(PortDevice, struct, **lists)


def ports_in(mask: int) -> tuple[int, ...]:
    """The numbers of the bits that are set."""
    return tuple(port for port in range(int(core().lib.WS_MAX_GENERATOR_PORTS)) if mask >> port & 1)


def port_counters(port: int) -> PortCounters:
    struct = core().ffi.new("struct ws_port_counters *")
    check(core().lib.ws_port_counters(port, struct))
    return from_struct(PortCounters, struct)


def set_led(port: int, on: bool) -> None:
    """EnvironmentFault when the driver has none."""
    check(core().lib.ws_port_set_led(port, on))


def flow_control(port: int) -> int | None:
    """0 off, 1 receive, 2 send, 3 both; None when the driver has none."""
    mode = core().ffi.new("int32_t *")
    return int(mode[0]) if core().lib.ws_port_flow_control(port, mode) >= 0 else None


def set_flow_control(port: int, mode: int) -> None:
    check(core().lib.ws_port_set_flow_control(port, mode))


def extended_counters(port: int) -> dict[str, int]:
    """The driver's own names and counters, those of each queue among them; bytes are without FCS."""
    count = check(core().lib.ws_port_xstats(port, core().ffi.NULL, 0))
    structs = core().ffi.new("struct ws_xstat[]", count)
    check(core().lib.ws_port_xstats(port, structs, count))
    return {core().ffi.string(struct.name).decode(errors="replace"): int(struct.value) for struct in structs}


def worker_info(worker: int) -> WorkerInfo:
    struct = core().ffi.new("struct ws_worker_info *")
    check(core().lib.ws_worker_info(worker, struct))
    return from_struct(WorkerInfo, struct)


def pools() -> tuple[PoolInfo, ...]:
    """Pools, that of the first worker's NUMA node first; none before ports are open."""
    struct = core().ffi.new("struct ws_pool_info *")
    pool_infos = []
    for index in range(core().lib.ws_pool_count()):
        check(core().lib.ws_pool_info(index, struct))
        pool_infos.append(from_struct(PoolInfo, struct))
    return tuple(pool_infos)


def close() -> None:
    """Close the ports and the runtime; workers must have stopped. It cannot start again in this process."""
    core().lib.ws_runtime_close()
