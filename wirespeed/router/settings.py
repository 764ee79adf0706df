"""Settings with which a router starts, and their memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.cpus import parse_cpus
from wirespeed.errors import UsageError
from wirespeed.model import PLAIN_MTU, PortSpec, parse_port_spec
from wirespeed.router.limits import MOST_NEIGHBORS, MOST_PATH_SETS, MOST_ROUTES, MOST_SEED
from wirespeed.router.startup.requests import INTERFACE_NAME, Startup, StartupInterface

# Twice the Internet's tables, and more; native/router/api/api.c says why that costs no memory.
DEFAULT_ROUTES = 2_097_152
DEFAULT_IP6_ROUTES = 1_048_576
DEFAULT_NEIGHBORS = 16_384
DEFAULT_PATH_SETS = 65_536
LIMITS = {
    "max_routes": (MOST_ROUTES, DEFAULT_ROUTES),
    "max_ip6_routes": (MOST_ROUTES, DEFAULT_IP6_ROUTES),
    "max_neighbors": (MOST_NEIGHBORS, DEFAULT_NEIGHBORS),
    "max_interface_neighbors": (MOST_NEIGHBORS, 0),
    "max_path_sets": (MOST_PATH_SETS, DEFAULT_PATH_SETS),
}
"""Sizes of tables: the highest that may be asked for, and the usual one."""
# Header, tags and what drivers put before a frame.
_FRAME_OVERHEAD_BYTES = 64
# DPDK memory for each neighbour beyond the default number, with its share of the hash.
_NEIGHBOR_BYTES = 1024
_PATH_SET_BYTES = 512


@dataclass(frozen=True)
class RouterSettings:
    """Interface i is `ports[i]`, called `names[i]`; one worker on each of `cpus`. There are at least `buffers` packet
    buffers, each with room for at least `buffer_size` bytes; `placement` holds (interface, queue, worker). `max_routes`
    is for IPv4; `max_interface_neighbors` 0: half of `max_neighbors`. `flow_hash_seed` None: one at random.
    `polls_eagerly`: workers look at their queues all the time also under load."""

    names: tuple[str, ...]
    ports: tuple[PortSpec, ...]
    cpus: tuple[int, ...]
    max_routes: int = DEFAULT_ROUTES
    max_ip6_routes: int = DEFAULT_IP6_ROUTES
    max_neighbors: int = DEFAULT_NEIGHBORS
    max_interface_neighbors: int = 0
    max_path_sets: int = DEFAULT_PATH_SETS
    flow_hash_seed: int | None = None
    polls_eagerly: bool = False
    buffers: int = 0
    buffer_size: int = 0
    placement: tuple[tuple[int, int, int], ...] = ()

    def memory_mb(self, pool_buffers: int) -> int:
        """Memory that the data plane allocates from DPDK: at least `pool_buffers` packet buffers, or the configured
        number, and an allowance for rings, nodes and neighbors. Routes use ordinary memory as needed."""
        longest = max((port.carries(PLAIN_MTU) for port in self.ports), default=PLAIN_MTU) + _FRAME_OVERHEAD_BYTES
        packets = max(self.buffers, pool_buffers) * (512 + max(2048, self.buffer_size, longest)) // 2**20
        neighbors = max(0, self.max_neighbors - DEFAULT_NEIGHBORS) * _NEIGHBOR_BYTES // 2**20
        sets = max(0, self.max_path_sets - DEFAULT_PATH_SETS) * _PATH_SET_BYTES // 2**20
        return packets + neighbors + sets + 128 + 8 * len(self.cpus)


def router_settings(
    interfaces: list[str],
    cpus: str,
    startup: Startup | None = None,
    *,
    flow_hash_seed: int | None = None,
    polls_eagerly: bool = False,
    **limits: int | None,
) -> RouterSettings:
    """Settings from the words of the command line and those of a start-up file, whose interfaces come first; what
    neither says has its default. `limits` are those of LIMITS. A UsageError names the word that is wrong."""
    settings = startup or Startup()
    names = [interface.name for interface in settings.interfaces]
    ports = [interface.port for interface in settings.interfaces]
    for text in interfaces:
        name, equals, spec = text.partition("=")
        if not equals or not INTERFACE_NAME.fullmatch(name):
            raise UsageError(f"interface {text!r} is not NAME=SPEC, such as e0=memif:/run/lab/e0.sock,role=server")
        if name in names:
            raise UsageError(f"interface name {name} is given twice")
        names.append(name)
        ports.append(parse_port_spec(spec))
    for name, number in limits.items():
        most, _ = LIMITS[name]
        if number is not None and not 1 <= number <= most:
            raise UsageError(f"--{name.replace('_', '-')} {number} is not between 1 and {most}")
    if flow_hash_seed is not None and not 0 <= flow_hash_seed <= MOST_SEED:
        raise UsageError(f"--flow-hash-seed {flow_hash_seed} is not between 0 and {MOST_SEED}")
    chosen = settings.worker_cpus if settings.worker_cpus and not cpus else parse_cpus(cpus)
    return RouterSettings(
        tuple(names),
        tuple(ports),
        chosen,
        **{name: limits.get(name) or getattr(settings, name) or usual for name, (_, usual) in LIMITS.items()},
        flow_hash_seed=settings.flow_hash_seed if flow_hash_seed is None else flow_hash_seed,
        polls_eagerly=polls_eagerly,
        buffers=settings.buffers,
        buffer_size=settings.buffer_size,
        placement=tuple(_placement(settings.interfaces, len(chosen))),
    )


def _placement(interfaces: Sequence[StartupInterface], workers: int) -> Iterator[tuple[int, int, int]]:
    for index, interface in enumerate(interfaces):
        for worker in interface.workers:
            if worker >= workers:
                raise interface.place.error(f"there is no worker {worker}; there are 0 to {workers - 1}")
        for queue in range(interface.port.rx_queues if interface.workers else 0):
            yield index, queue, interface.workers[queue % len(interface.workers)]
