"""Workers: queues, sleep, handoff.

- Queues are assigned to workers in turn. Each worker sends in its own TX queue; on a port with fewer queues, workers
  share them under a lock per queue.
- **Sleep.** `adaptive` lets the workers of an interface sleep after 0.1 ms without a packet, `interrupt` as soon as a
  poll finds nothing, `polling` (default) never. The router's TAP ports are adaptive by default. A worker sleeps only if
  all its queues allow it; a worker without a queue always does. `show interface rx-placement` shows which queues of
  other modes a polling one keeps awake.
- A sleeping worker waits for an event if all its queues' drivers signal packets by a descriptor (NICs on vfio-pci,
  net_tap), or if they are TAP ports of this router. Otherwise it naps for 20 µs at first and twice as long each time,
  up to 1 ms. The first packet after a pause may have to wait that long.
- **Handoff** is for a port that cannot spread flows over queues. The polling worker then only hashes addresses and
  ports, behind VLAN tags and MPLS labels too. It puts each packet into the ring of its flow's worker (`worker-handoff`,
  `handoff-dispatch`). The order within a flow is kept. Packets that find the ring full are counted (`congestion drop`).
- Handoff costs the polling worker a look at each packet, and the other worker a cache miss. It is off by default and
  then costs nothing. The default is `asymmetrical`.
- `show threads` has workers only: name, Linux thread, CPU, loops, sleeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.interfaces import InterfaceKind, RxMode

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("set interface rx-placement <interface> [queue <number:queue>] worker <number:worker>")
def set_placement(console: Console, words: Match) -> None:
    """Assign an RX queue to a worker; traffic pauses for a moment."""
    (queue,) = queues_of(console, words["interface"], words.get("queue", 0))
    console.core.set_placement(words["interface"], queue, checked_worker(console, words["worker"]))


@command("set interface rx-mode <interface> [queue <number:queue>] (polling|interrupt|adaptive)")
def set_rx_mode(console: Console, words: Match) -> None:
    """Set when workers sleep: never (polling), at once without packets (interrupt), after some time without packets
    (adaptive)."""
    mode = next(mode for mode in RxMode if mode.name.lower() in words)
    for queue in queues_of(console, words["interface"], words.get("queue")):
        console.core.set_rx_mode(words["interface"], queue, mode)


@command("set interface handoff <interface> workers <numbers> [(symmetrical|asymmetrical)]")
def set_handoff(console: Console, words: Match) -> None:
    """Distribute a port's packets over workers by flow; symmetrical: both directions of a flow to one worker."""
    queues_of(console, words["interface"], None)
    workers = [checked_worker(console, worker) for worker in words["numbers"]]
    console.core.set_handoff(words["interface"], workers, "symmetrical" in words)


@command("set interface handoff <interface> disable")
def no_handoff(console: Console, words: Match) -> None:
    """End the handoff of a port."""
    queues_of(console, words["interface"], None)
    console.core.set_handoff(words["interface"], [], False)


@command("show interface handoff")
def show_handoff(console: Console, words: Match) -> Iterator[str]:
    """Ports with handoff, and their workers."""
    core = console.core
    for index in console.interfaces(()):
        face = core.interface(index)
        workers = core.handoff(index) if face.kind is InterfaceKind.PORT else ()
        if workers:
            yield f"{face.name} workers {','.join(str(worker) for worker in workers)}"


@command("show interface rx-placement")
def show_rx_placement(console: Console, words: Match) -> Iterator[str]:
    """RX queues, their workers and modes."""
    core = console.core
    placed: dict[int, list[tuple[str, RxMode]]] = {}
    awake: set[int] = set()
    for index in console.interfaces(()):
        face = core.interface(index)
        for queue in range(core.port(index).rx_queues if face.kind is InterfaceKind.PORT else 0):
            worker, mode = core.placement(index, queue), core.rx_mode(index, queue)
            placed.setdefault(worker, []).append((f"{face.name} queue {queue}", mode))
            if mode is RxMode.POLLING:
                awake |= {worker, *core.handoff(index)}
    for worker, queues in sorted(placed.items()):
        yield f"Thread {worker + 1} ({core.worker(worker).name}):"
        yield " node dpdk-input:"
        for queue_name, mode in queues:
            kept_awake = worker in awake and mode is not RxMode.POLLING
            yield f"    {queue_name} ({mode.name.lower()}){', kept polling by other queues' if kept_awake else ''}"


@command("show threads")
def show_threads(console: Console, words: Match) -> Iterator[str]:
    """Workers with Linux thread, CPU, loops and sleeps."""
    yield f"{'ID':<4} {'Name':<12} {'LWP':>8} {'CPU':>4} {'Loops':>16} {'Sleeps':>12}"
    for worker in range(console.core.worker_count()):
        info, totals = console.core.worker(worker), console.core.totals(worker)
        yield (
            f"{worker + 1:<4} {info.name:<12} {info.thread_id:>8} {info.cpu:>4} {totals.loops:>16} {totals.sleeps:>12}"
        )


def queues_of(console: Console, index: int, queue: int | None) -> list[int]:
    """The queue, or all of the interface; UsageError when there is no such queue."""
    face = console.core.interface(index)
    if face.kind is not InterfaceKind.PORT:
        raise UsageError(f"{face.name} has no queues of its own; name its port")
    queues = console.core.port(index).rx_queues
    if queue is None:
        return list(range(queues))
    if queue >= queues:
        raise UsageError(f"there is no queue {queue}; {face.name} has 0 to {queues - 1}")
    return [queue]


def checked_worker(console: Console, worker: int) -> int:
    """A worker's number; UsageError when there is none of it."""
    workers = console.core.worker_count()
    if worker >= workers:
        raise UsageError(f"there is no worker {worker}; there are 0 to {workers - 1}")
    return worker
