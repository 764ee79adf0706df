"""Start, stop, pause and change traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.client.stateless_client import ALL_CORES, ALL_PROFILES, Multiplier, ProfileTarget
from wirespeed.console.commands.registry import STATELESS, command
from wirespeed.console.grammar import ALL, STREAM_IDS, TARGETS, ConsoleOption, Given, read_duration, switch
from wirespeed.console.loads import parse_load, parse_load_change, share
from wirespeed.console.screen import step
from wirespeed.console.session import ACTIVE, PAUSED, SENDING, Session
from wirespeed.errors import UsageError
from wirespeed.units import format_si

FORCE = switch(
    "--force", help="Stop running traffic; allow ports without link, loads above line rate, and service mode."
)
TOTAL = switch("--total", help="The load is the total of all ports.")
LOAD = "10kpps, 1.48mpps, 2gbps (layer 2), 2gbpsl1, 50%, or a factor of the profile's own rates"


_SYNC_S = 1.0
"""Ahead of the server's clock: enough for all ports to be ready."""


def _read_mask(word: str) -> int:
    try:
        mask = int(word, 0)
    except ValueError:
        mask = 0
    if not 0 < mask <= ALL_CORES:
        raise UsageError(f"core mask {word!r} cannot be used; give a number such as 0x3, bit 0 for the first core")
    return mask


@command(
    "start",
    STATELESS,
    "Start traffic of a profile.",
    ConsoleOption(
        ("-f", "--file"),
        "Built-in profile (stl/bench.py, stl/imix.py …) or a T-Rex profile file.",
        metavar="FILE",
        optional=False,
        source="profiles",
    ),
    ConsoleOption(("-m", "--multiplier", "--mult"), f"Load: {LOAD}.", parse_load, "LOAD", default="1"),
    TARGETS,
    ALL,
    ConsoleOption(("-d", "--duration"), "Duration, e.g. 10, 5m or 1h. Default: until stopped.", read_duration, "TIME"),
    ConsoleOption(
        ("-t", "--tunables"), "Tunables of the profile: size=64,vm=var2, or last --size 64 --vm var2.", rest=True
    ),
    FORCE,
    TOTAL,
    switch("-n", "--dry", help="Load the profile and show what it would send; send nothing."),
    ConsoleOption(
        ("--core_mask", "--core-mask"),
        "Bit mask of the cores that send: one for all ports, or one per port.",
        _read_mask,
        "MASK",
        True,
        repeats=True,
    ),
    switch("--pin", help="Divide the cores of a pair between its two ports."),
    switch("--sync", help="Start all ports at the same instant."),
)
def start(session: Session, args: Given) -> None:
    from wirespeed.profiles import load_profile  # noqa: PLC0415 - scapy takes long to import

    if "help" in args.tunables:  # told as what is wrong with that tunable
        try:
            load_profile(args.file, args.tunables, 0, 0)
        except UsageError as told:
            session.screen.show(str(told))
        return
    named = args.ports or [ProfileTarget(port) for port in (session.ports if session.on_demand else session.ours(None))]
    session.some({target.port for target in named})
    if starred := [str(target) for target in named if target.profile == ALL_PROFILES]:
        raise UsageError(f"start: {', '.join(starred)} stands for all profiles; name one, such as 0._ or 0.voice")
    streams = [load_profile(args.file, args.tunables, target.port, target.port % 2) for target in named]
    targets = session.targets(named)
    masks = _core_masks(session, args, targets)
    make_ready(session, targets, args.force)
    client, screen = session.client, session.screen
    with step(screen, f"Removing all streams from port(s) {listed(targets)}:"):
        client.on_profiles("remove_all_streams", targets)
    for target, items in zip(targets, streams, strict=True):
        with step(screen, f"Attaching {len(items)} streams to port(s) {listed([target])}:"):
            client.load_streams(target, items)
    load = share(args.mult, len(targets)) if args.total else args.mult
    if args.dry:
        _show_plan(session, targets, load)
        return
    with step(screen, f"Starting traffic on port(s) {listed(targets)}:"):
        session.started = True
        at_ts = client.server_ts() + _SYNC_S if args.sync else 0
        client.start_profiles(targets, load, args.duration or -1, args.force, masks, at_ts)


def _core_masks(session: Session, args: Given, targets: Sequence[ProfileTarget]) -> list[int]:
    if not args.pin:
        masks: list[int] = args.core_mask or []
        if len(masks) not in (0, 1, len(targets)):
            raise UsageError(f"start: {len(masks)} core masks for {len(targets)} ports; give one, or one for each")
        return masks
    if args.core_mask:
        raise UsageError("start: --pin and --core_mask exclude each other")
    half = int(session.system.get("dp_core_count_per_port", 1)) // 2
    lower = (1 << half) - 1
    # A pair that has a single core, or one for each port, is divided as it is.
    return [lower << half * (target.port % 2) if half else ALL_CORES for target in targets]


def make_ready(session: Session, targets: Sequence[ProfileTarget], force: bool) -> None:
    """Nothing may be sent on the ports, and none may be in service mode; `force` stops and overrides."""
    ports = list(dict.fromkeys(target.port for target in targets))
    statuses = dict(zip(ports, session.statuses(ports), strict=True))
    busy = [target for target in targets if _state(statuses[target.port], target) in ACTIVE]
    serving = [port for port in ports if statuses[port].get("service")]
    if serving and not force:
        raise UsageError(f"port(s) {serving} are in service mode; `service --off` first, or start with --force")
    if busy and not force:
        raise UsageError(f"traffic runs on {listed(busy)}; `stop` first, or start with --force")
    if busy:
        with step(session.screen, f"Stopping traffic on port(s) {listed(busy)}:"):
            session.client.on_profiles("stop_traffic", busy)


def _state(status: object, target: ProfileTarget) -> str:
    states = status.get("state_profile") if isinstance(status, dict) else None
    return str((states or {}).get(target.profile, "IDLE"))


def _show_plan(session: Session, targets: Sequence[ProfileTarget], load: Multiplier) -> None:
    session.screen.show(f"not started; at multiplier 1 (asked for: {load.value:g} {load.type}):")
    for target, answer in zip(targets, session.client.validate(targets), strict=True):
        rate, graph = answer["rate"], answer["graph"]
        duration = graph.get("expected_duration", -1)
        length = "endless" if duration < 0 else f"{duration / 1e6:g} s"
        session.screen.show(
            f"  port {target}: {format_si(rate['max_pps'], 'pps')}, {format_si(rate['max_bps_l2'], 'bps')} L2, "
            f"{format_si(rate['max_bps_l1'], 'bps')} L1, {length}"
        )


@command(
    "stop", STATELESS, "Stop traffic.", TARGETS, ALL, switch("--remove", help="Remove the streams of the profiles too.")
)
def stop(session: Session, args: Given) -> None:
    if not args.remove:
        targets = session.running(args.ports)
        with step(session.screen, f"Stopping traffic on port(s) {listed(targets)}:"):
            session.client.on_profiles("stop_traffic", targets)
        return
    every = args.ports is not None or args.all
    loaded = _loaded(session, args.ports) if every else session.running(None)
    with step(session.screen, f"Stopping and removing port(s) {listed(loaded)}:"):
        session.client.on_profiles("stop_traffic", loaded)
        session.client.on_profiles("remove_all_streams", loaded)


def _loaded(session: Session, chosen: Sequence[ProfileTarget] | None) -> Sequence[ProfileTarget]:
    """Profiles on the given ports, by default on all acquired ones."""
    ports = session.ours(None if chosen is None else dict.fromkeys(target.port for target in chosen))
    there = session.client.profiles(ports)
    if chosen is None:
        return there
    wanted = {(target.port, target.profile) for target in chosen}
    return [one for one in there if wanted & {(one.port, one.profile), (one.port, ALL_PROFILES)}]


@command(
    "update",
    STATELESS,
    "Change the load of running traffic.",
    ConsoleOption(
        ("-m", "--multiplier", "--mult"),
        f"Load: {LOAD}; + or - at its end changes the current load.",
        parse_load_change,
        "LOAD[+|-]",
        False,
        False,
    ),
    TARGETS,
    ALL,
    STREAM_IDS,
    FORCE,
    replace(TOTAL, flags=("-t", *TOTAL.flags)),
)
def update(session: Session, args: Given) -> None:
    targets = session.running(args.ports)
    load = share(args.mult, len(targets)) if args.total else args.mult
    with step(session.screen, f"Updating traffic on port(s) {listed(targets, args.ids)}:"):
        if args.ids is None:
            session.client.update_profiles(targets, load, args.force)
        else:
            session.client.on_profiles(
                "update_streams", targets, stream_ids=args.ids, mul=load.to_json(), force=args.force
            )


@command("pause", STATELESS, "Pause traffic, or some of its streams.", TARGETS, ALL, STREAM_IDS)
def pause(session: Session, given: Given) -> None:
    targets = session.running(given.ports, ACTIVE if given.ids else SENDING)
    _switch(session, given, targets, "Pausing", "pause")


@command("resume", STATELESS, "Resume what was paused.", TARGETS, ALL, STREAM_IDS)
def resume(session: Session, given: Given) -> None:
    targets = session.running(given.ports, ACTIVE if given.ids else PAUSED, "paused")
    _switch(session, given, targets, "Resume", "resume")


def _switch(session: Session, args: Given, targets: Sequence[ProfileTarget], doing: str, verb: str) -> None:
    with step(session.screen, f"{doing} traffic on port(s) {listed(targets, args.ids)}:"):
        if args.ids is None:
            session.client.on_profiles(f"{verb}_traffic", targets)
        else:
            session.client.on_profiles(f"{verb}_streams", targets, stream_ids=args.ids)


def listed(targets: Sequence[ProfileTarget], ids: Sequence[int] | None = None) -> str:
    streams = "" if ids is None else f", stream(s) {ids}"
    return f"[{', '.join(str(target) for target in targets)}]{streams}"
