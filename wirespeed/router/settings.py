"""What a router is started with, and the memory that takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.cpus import parse_cpus
from wirespeed.errors import UsageError
from wirespeed.model import PortSpec, parse_port_spec
from wirespeed.router.startup.settings import INTERFACE_NAME, Interface, Startup

MOST_ROUTES = 8_000_000
DEFAULT_IP6_ROUTES = 65_536


@dataclass(frozen=True)
class RouterSettings:
    """Interface i is `ports[i]`, called `names[i]`; one worker on each of `cpus`. There are at least `buffers` packet
    buffers, each with room for at least `buffer_size` bytes; `placement` holds (interface, queue, worker)."""

    names: tuple[str, ...]
    ports: tuple[PortSpec, ...]
    cpus: tuple[int, ...]
    max_routes: int
    buffers: int = 0
    buffer_size: int = 0
    placement: tuple[tuple[int, int, int], ...] = ()

    def memory_mb(self) -> int:
        """What the data plane allocates: packet buffers, the FIB, and a rest for rings, nodes and neighbors."""
        descriptors = sum(port.rx_queues * port.rx_descriptors for port in self.ports)
        descriptors += sum(max(port.tx_queues, len(self.cpus)) * port.tx_descriptors for port in self.ports)
        buffers = max(self.buffers, 4096 + 1280 * len(self.cpus) + descriptors)
        packets = buffers * (512 + max(2048, self.buffer_size)) // 2**20
        # DIR24-8 is 64 MB of tbl24 and 1 KB for each group of prefixes longer than /24; its RIB has two nodes a
        # route, 192 bytes each with what the mempool puts around them.
        groups = max(1024, self.max_routes // 8) * 1024 // 2**20
        routes = 64 + groups + (self.max_routes + DEFAULT_IP6_ROUTES) * 384 // 2**20
        return packets + routes + 64 + 8 * len(self.cpus)


def router_settings(
    interfaces: list[str], cpus: str, max_routes: int, startup: Startup | None = None
) -> RouterSettings:
    """Settings from the words of the command line and those of a start-up file, whose interfaces come first; a
    UsageError names the word that is wrong."""
    given = startup or Startup()
    names = [interface.name for interface in given.interfaces]
    ports = [interface.port for interface in given.interfaces]
    for text in interfaces:
        name, equals, spec = text.partition("=")
        if not equals or not INTERFACE_NAME.fullmatch(name):
            raise UsageError(f"interface {text!r} is not NAME=SPEC, such as e0=memif:/run/lab/e0.sock,role=server")
        if name in names:
            raise UsageError(f"interface name {name} is given twice")
        names.append(name)
        ports.append(parse_port_spec(spec))
    if not names:
        raise UsageError(
            "a router needs an --interface NAME=SPEC, such as e0=af_packet:eth1, or a dpdk section in its start-up file"
        )
    if not 1 <= max_routes <= MOST_ROUTES:
        raise UsageError(f"--max-routes {max_routes} is not between 1 and {MOST_ROUTES}")
    chosen = given.worker_cpus if given.worker_cpus and not cpus else parse_cpus(cpus)
    return RouterSettings(
        tuple(names),
        tuple(ports),
        chosen,
        max_routes,
        buffers=given.buffers,
        buffer_size=given.buffer_size,
        placement=tuple(_placement(given.interfaces, len(chosen))),
    )


def _placement(interfaces: Sequence[Interface], workers: int) -> Iterator[tuple[int, int, int]]:
    for index, interface in enumerate(interfaces):
        for worker in interface.workers:
            if worker >= workers:
                raise interface.place.error(f"there is no worker {worker}; there are 0 to {workers - 1}")
        for queue in range(interface.port.rx_queues if interface.workers else 0):
            yield index, queue, interface.workers[queue % len(interface.workers)]
