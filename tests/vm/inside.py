"""Runs in the guest: checks of a router and a generator on real NIC drivers.

Usage: inside.py KIND CHECKS GENERATOR0 GENERATOR1 ROUTER0 ROUTER1: QEMU's kind of the NICs, names separated by commas,
and the NICs' MAC addresses. Each check reports `{"check": NAME, "ok": BOOLEAN, "saw": WORDS}` to the host. All checks
run in one process, since Python starts slowly in a translated guest.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from inside_bench import (
    FOLDER,
    HOST_IP,
    HOST_IP6,
    JUMBO_MTU,
    PACKETS,
    PATIENCE_S,
    PCI,
    ROUTER_IP6,
    RPC,
    Bench,
    Failed,
    Host,
    Program,
    address_of,
    bind,
    forward,
    solicitation,
    tell_check,
    udp,
    wait_for,
    wait_for_rest,
)

from wirespeed.errors import EnvironmentFault, WirespeedError

HAS_GROUP_LIST = ("e1000e", "igb")
"""Kinds that support a list of multicast groups; the others refuse it and admit all groups."""
HASHES = ("igb", "vmxnet3")
SPREADS = ("igb",)
"""Kinds that distribute packets by a requested hash. QEMU's vmxnet3 accepts one but fills only the first queue; with
virtio the other side decides.
"""


def check_refused(bench: Bench) -> str:
    """A port that does not open ends the program with one line; the earlier ports, which never ran, are released."""
    ports = ["--port", f"pci:{address_of(bench.macs[0])}", "--port", "pcap:/dev/null"]
    program = Program("generator", "--cpu", "0", "--rpc", RPC, *ports)
    try:
        wait_for(lambda: program.process.poll() is not None, "the end of the program")
    finally:
        program.kill()
    if program.process.returncode != EnvironmentFault.exit_code or "DPDK cannot open net_pcap" not in program.said():
        raise Failed(f"code {program.process.returncode}: {program.said()[-600:]}")
    return f"code {EnvironmentFault.exit_code}"


def check_start(bench: Bench) -> str:
    bench.start_router(data_size=9216)
    bench.start_generator()
    bench.connect()
    bench.router.wait()
    bench.wait_for_links()
    first = next(line for line in bench.generator.said().splitlines() if line.startswith("port 0"))
    # A virtio device has no speed unless QEMU is given one.
    if "speed unknown" in first and "net_virtio" not in first:
        raise Failed(first)
    return first.split(", ")[1]


def check_forward(bench: Bench) -> str:
    return f"{forward(bench, 0)} and {forward(bench, 1)} of {PACKETS}"


def check_vlan(bench: Bench) -> str:
    """A frame with a tag reaches the sub-interface of its VLAN, and leaves without it."""
    for line in (
        "create sub-interfaces e0 7",
        "set interface state e0.7 up",
        "set interface ip address e0.7 10.0.7.1/24",
    ):
        bench.ask(line)
    plain = udp(bench.macs[2], "10.0.7.2", HOST_IP[1], 60)
    forward(bench, 0)  # the neighbour is known
    before = bench.received(1)
    bench.push(0, plain[:12] + b"\x81\x00\x00\x07" + plain[12:])
    wait_for(lambda: bench.received(1) >= before + PACKETS, f"{PACKETS} packets of VLAN 7", patience_s=PATIENCE_S / 4)
    return f"{PACKETS} of {PACKETS}"


def check_bytes(bench: Bench) -> str:
    """60 bytes per frame, without the FCS."""
    # No other frames: neighbours are known, and keepalives are 42 bytes padded to 60.
    sizes = []
    for what in ("rx", "tx"):
        before = [bench.counter("e0" if what == "rx" else "e1", f"{what} {unit}") for unit in ("packets", "bytes")]
        forward(bench, 0)
        after = [bench.counter("e0" if what == "rx" else "e1", f"{what} {unit}") for unit in ("packets", "bytes")]
        sizes.append((after[1] - before[1]) / (after[0] - before[0]))
    # Frames made by the router are not padded if the NIC does that.
    if not (59 <= sizes[0] <= 60 and 55 <= sizes[1] <= 60):
        raise Failed(f"{sizes[0]:.1f} bytes per frame received, {sizes[1]:.1f} sent")
    return f"{sizes[0]:.0f}"


def check_multicast(bench: Bench) -> str:
    """A neighbour solicitation goes to a group; the NIC must admit it, and the router must reply."""
    bench.push(0, solicitation(HOST_IP6, ROUTER_IP6, bench.macs[0]), 3)
    wait_for(lambda: HOST_IP6 in bench.ask("show ip6 neighbors"), "the IPv6 neighbour", patience_s=PATIENCE_S / 4)
    if "promiscuous: unicast on" in bench.ask("show hardware-interfaces e0"):
        raise Failed("the router's port is promiscuous")
    wanted = "off" if bench.kind in HAS_GROUP_LIST else "on"
    if f"all-multicast {wanted}" not in bench.ask("show hardware-interfaces e0"):
        raise Failed(f"all-multicast is not {wanted}")
    return f"solicited, all-multicast {wanted}"


def check_link(bench: Bench) -> str:
    """Packets routed to a port without a link are counted drops, and the router notices when the link returns."""
    nic = f"nic{bench.macs[3].replace(':', '')[-4:]}"

    def send_until(seen: Callable[[], bool], what: str) -> None:
        """Without link events, the device knows the new state shortly before the workers do."""

        def is_seen() -> bool:
            bench.push(0, udp(bench.macs[2], HOST_IP[0], HOST_IP[1], 60))
            return seen()

        wait_for(is_seen, what)

    bench.host.machine("set_link", name=nic, up=False)
    try:
        wait_for(lambda: not bench.has_link("e1"), "the loss of e1's link")
        before = bench.dropped("interface has no link")
        send_until(lambda: bench.dropped("interface has no link") >= before + PACKETS, "the drops")
    finally:
        bench.host.machine("set_link", name=nic, up=True)
    wait_for(lambda: bench.has_link("e1"), "the return of e1's link")
    before = bench.received(1)
    send_until(lambda: bench.received(1) > before, "packets by e1")
    wait_for_rest(bench, 1)
    return f"lost, {PACKETS} drops and more, back; then {forward(bench, 0)}"


def check_down(bench: Bench) -> str:
    bench.ask("set interface state e0 down")
    if bench.has_link("e0"):
        raise Failed("e0 has a link while it is down")
    before = bench.counter("e0", "rx packets")
    bench.push(0, udp(bench.macs[2], HOST_IP[0], HOST_IP[1], 60))
    time.sleep(2)
    received = bench.counter("e0", "rx packets") - before
    bench.ask("set interface state e0 up")
    bench.wait_for_links()
    if received:
        raise Failed(f"{received} of {PACKETS} received while it was down")
    return f"none in; up again: {forward(bench, 0)}"


def check_mtu(bench: Bench) -> str:
    """The largest MTU of the NIC, set at run time; one byte more is refused and changes nothing."""
    most = bench.most_mtu
    if most < JUMBO_MTU:
        try:
            bench.ask(f"set interface mtu {most + 1} e0")
        except WirespeedError as error:
            if f"{most} at most" not in str(error):
                raise Failed(str(error)) from None
        else:
            raise Failed(f"{most + 1} is taken")
        forward(bench, 0)
    for interface in ("e0", "e1"):
        bench.ask(f"set interface mtu {most} {interface}")
    bench.wait_for_links()
    return f"{most} while it runs; as long: {forward(bench, 0, most + 14, 10)} of 10"


def check_hardware(bench: Bench) -> str:
    """What the device is, offers and does."""
    said = bench.ask("show hardware-interfaces e0")
    wanted = ("pci: device", "pci link:", "rx offload avail", "tx offload avail", "rss active", "burst function")
    missing = [word for word in wanted if word not in said]
    if missing or "all-multicast" not in said:
        raise Failed(f"without {missing}: {said}")
    return next(line.strip() for line in said.splitlines() if "pci link" in line)


def check_conserve(bench: Bench) -> str:
    """The router received all packets that the generator sent, and vice versa: exact in both directions at once."""
    forward(bench, 0)
    forward(bench, 1)

    def count() -> tuple[int, ...]:
        ends = [(bench.sent(port), bench.counter(f"e{port}", "rx packets")) for port in (0, 1)]
        ends += [(bench.counter(f"e{port}", "tx packets"), bench.received(port)) for port in (0, 1)]
        return tuple(number for pair in ends for number in pair)

    # Neighbours are probed in between, so both ends are read until they agree.
    before = count()
    for _ in range(25):
        for port in (0, 1):
            bench.push(port, udp(bench.macs[2 + port], HOST_IP[port], HOST_IP[1 - port], 60))
    for port in (0, 1):
        wait_for_rest(bench, port)

    def moved() -> list[int]:
        return [now - then for now, then in zip(count(), before, strict=True)]

    def agrees() -> bool:
        ends = moved()
        return ends[0::2] == ends[1::2] and min(ends) >= 25 * PACKETS

    try:
        wait_for(agrees, "ends that agree", patience_s=PATIENCE_S / 4)
    except Failed as failed:
        raise Failed(f"{failed}: sent and received by turns {moved()}") from None
    return f"{moved()[0]} and {moved()[2]}, none lost"


def check_kill(bench: Bench) -> str:
    bench.restart(data_size=0)
    return f"again: {forward(bench, 1)} of {PACKETS}"


def check_mtu_buffers(bench: Bench) -> str:
    """The same with buffers of 2 048 bytes: if the NIC scatters, frames are in several of them; otherwise the error
    names the cause, and 1500 still works.
    """
    most = bench.most_mtu
    try:
        bench.ask(f"set interface mtu {most} e0")
    except WirespeedError as error:
        if "data-size" not in str(error):
            raise Failed(str(error)) from None
        return f"names data-size; {forward(bench, 0)}"
    bench.ask(f"set interface mtu {most} e1")
    bench.wait_for_links()
    return f"{most} taken; as long: {forward(bench, 0, most + 14, 10)} of 10"


def check_mtu_start(bench: Bench) -> str:
    """The same MTU as `mtu` of the device in startup.conf; a larger one ends the program with one line."""
    most = bench.most_mtu
    if most < JUMBO_MTU:
        bench.router.kill()
        bench.start_router(9216, f"mtu {most + 1}")
        wait_for(lambda: bench.router.process.poll() is not None, "the end of the program")
        if f"{most} at most" not in bench.router.said():
            raise Failed(bench.router.said()[-600:])
    bench.restart(9216, f"mtu {most}")
    there, back = (forward(bench, port, most + 14, 10) for port in (0, 1))
    return f"{most} from the start; as long: {there} and {back} of 10"


def check_queues(bench: Bench) -> str:
    """Four queues on two workers: flows are distributed if the NIC hashes; no packet is lost if it does not."""
    bench.restart(0, "num-rx-queues 4", "0,1")
    forward(bench, 0)
    bench.ask("clear runtime")
    before = bench.received(1)
    for sport in range(400):
        bench.push(0, udp(bench.macs[2], HOST_IP[0], HOST_IP[1], 60, 1000 + sport), 1)
    wait_for(lambda: bench.received(1) >= before + 400, "400 flows", patience_s=PATIENCE_S / 2)
    rows = bench.ask("show runtime").splitlines()
    by_worker = [int(row[42:].split()[1]) for row in rows if row.startswith("dpdk-input ")]
    said = bench.ask("show hardware-interfaces e0")
    hashed = not re.search("rss active: +none", said)
    if hashed != (bench.kind in HASHES) or (bench.kind in SPREADS and min(by_worker) < 120):
        raise Failed(f"{by_worker} packets by worker; {said}")
    return f"{' and '.join(str(one) for one in by_worker)} by worker{'' if hashed else ', no hash offered'}"


def check_unplug(bench: Bench) -> str:
    """The router's and the generator's second NICs are unplugged: each program reports it and continues with its first
    NIC.
    """
    for program, mac, what in ((bench.router, bench.macs[3], "e1"), (bench.generator, bench.macs[1], "port 1")):
        address = address_of(mac)
        bench.host.machine("device_del", id=f"nic{mac.replace(':', '')[-4:]}")
        wait_for(lambda said=program: "was removed" in said.said(), f"the message about {what}")
        wait_for(lambda gone=address: not (PCI / "devices" / gone).exists(), f"{what} gone from Linux")
    if "carrier down" not in bench.ask("show hardware-interfaces e1"):
        raise Failed(bench.ask("show hardware-interfaces e1"))
    before = bench.counter("e0", "rx packets")
    bench.push(0, udp(bench.macs[2], HOST_IP[0], HOST_IP[1], 60))
    wait_for(lambda: bench.counter("e0", "rx packets") >= before + PACKETS, "packets at e0")
    return "both say so; e0 and port 0 go on"


CHECKS = {name.removeprefix("check_"): value for name, value in list(globals().items()) if name.startswith("check_")}


def main() -> None:
    kind, names, macs = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    host = Host()
    FOLDER.mkdir(parents=True)
    host.tell(started=True)
    bind(macs)
    tell_of(Bench(host, kind, macs), names, CHECKS)


def tell_of(bench: Bench, names: Sequence[str], checks: Mapping[str, Callable[[Bench], str]]) -> None:
    """Report the result of each check to the host; after a failed one on which all others depend, there are no further
    ones.
    """
    for name in names:
        if not tell_check(bench.host, name, partial(checks[name], bench)):
            for program in (getattr(bench, "router", None), getattr(bench, "generator", None)):
                if program is not None:
                    print(program.said()[-1500:], flush=True)
            if name in ("start", "kill"):
                break
    bench.host.tell(end=True)


if __name__ == "__main__":
    os.environ["HOME"] = "/root"
    main()
