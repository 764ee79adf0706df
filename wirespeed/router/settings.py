"""What a router is started with, and the memory that takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.cpus import parse_cpus
from wirespeed.errors import UsageError
from wirespeed.model import PortSpec, parse_port_spec

MOST_ROUTES = 8_000_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._/-]{0,31}")


@dataclass(frozen=True)
class RouterSettings:
    """Interface i is `ports[i]`, called `names[i]`; one worker on each of `cpus`."""

    names: tuple[str, ...]
    ports: tuple[PortSpec, ...]
    cpus: tuple[int, ...]
    max_routes: int

    def memory_mb(self) -> int:
        """What the data plane allocates: packet buffers, the FIB, and a rest for rings, nodes and neighbors."""
        descriptors = sum(port.rx_queues * port.rx_descriptors for port in self.ports)
        descriptors += sum(max(port.tx_queues, len(self.cpus)) * port.tx_descriptors for port in self.ports)
        buffers = 4096 + 1280 * len(self.cpus) + descriptors
        packets = buffers * 2560 // 2**20
        # DIR24-8 is 64 MB of tbl24 and 1 KB for each group of prefixes longer than /24; its RIB has two nodes a
        # route, 192 bytes each with what the mempool puts around them.
        groups = max(1024, self.max_routes // 8) * 1024 // 2**20
        routes = 64 + groups + self.max_routes * 384 // 2**20
        return packets + routes + 64 + 8 * len(self.cpus)


def router_settings(interfaces: list[str], cpus: str, max_routes: int) -> RouterSettings:
    """Settings from the words of the command line; a UsageError names the one that is wrong."""
    names: list[str] = []
    ports: list[PortSpec] = []
    for text in interfaces:
        name, equals, spec = text.partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise UsageError(f"interface {text!r} is not NAME=SPEC, such as e0=memif:/run/lab/e0.sock,role=server")
        if name in names:
            raise UsageError(f"interface name {name} is given twice")
        names.append(name)
        ports.append(parse_port_spec(spec))
    if not names:
        raise UsageError("a router needs an --interface NAME=SPEC, such as e0=af_packet:eth1")
    if not 1 <= max_routes <= MOST_ROUTES:
        raise UsageError(f"--max-routes {max_routes} is not between 1 and {MOST_ROUTES}")
    return RouterSettings(tuple(names), tuple(ports), parse_cpus(cpus), max_routes)
