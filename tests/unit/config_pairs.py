"""Random valid configurations of one set of ports, for tests of the planner."""

from __future__ import annotations

import random
from typing import Any

from wirespeed.config.check import rule_findings
from wirespeed.config.schema import Config

PORTS = tuple(f"GigabitEthernet{bus}/0/0" for bus in range(1, 6))
MTUS = (1500, 2000, 9216)


def config_of(seed: int) -> Config:
    """Nearly all of them satisfy the rules at once; from the others, parts that violate one are removed."""
    return _valid(_drawn(random.Random(seed)))


def _valid(raw: dict[str, Any]) -> Config:
    while True:
        config = Config.model_validate(raw)
        findings = rule_findings(config)
        if not findings:
            return config
        for finding in findings:
            _leave_out(raw, finding.path)


def _leave_out(raw: Any, path: tuple[str | int, ...]) -> None:
    """Remove the innermost existing element on `path`."""
    if path[0] in ("vxlan_tunnels", "taps"):
        path = path[:2]  # none of its parts can be missing
    *above, last = path
    node = raw
    for place, part in enumerate(above):
        if isinstance(node, list) and place == len(above):
            break
        if part not in (node if isinstance(node, dict) else range(len(node))):
            return
        node = node[part]
    if isinstance(node, dict) and last in node:
        del node[last]
    elif isinstance(node, list) and isinstance(last, int) and last < len(node):
        del node[last]
        if not node:
            _leave_out(raw, tuple(above))
    elif isinstance(node, dict) and len(path) > 1:
        _leave_out(raw, tuple(above))


def _drawn(draw: random.Random) -> dict[str, Any]:
    networks = [f"10.{n}.{draw.randrange(2)}" for n in range(6)]
    names = [f"l{n}" for n in range(8)]
    draw.shuffle(networks)
    draw.shuffle(names)
    raw: dict[str, Any] = {"interfaces": {}, "loopbacks": {}}
    ports = [port for port in PORTS if draw.random() < 0.9]

    def addresses() -> list[str]:
        found = []
        for _ in range(draw.choice((0, 1, 1, 2))):
            if networks:
                found.append(f"{networks.pop()}.{draw.choice((1, 2))}/{draw.choice((24, 24, 30, 16))}")
        if draw.random() < 0.2:
            found.append(f"2001:db8:{draw.randrange(1, 9)}::{draw.randrange(1, 3)}/64")
        return found

    def layer3(mtu: int) -> dict[str, Any]:
        made: dict[str, Any] = {"mtu": mtu}
        if draw.random() < 0.5 and (found := addresses()):
            made["addresses"] = found
        elif draw.random() < 0.3:
            made["unnumbered"] = draw.choice([*ports, "loop0", "loop1"]) if ports else "loop0"
        if draw.random() < 0.4 and names:
            made["lcp"] = names.pop()
        made["mpls"] = draw.random() < 0.3
        return made

    mac = "02:00:00:00:00:%02x"
    for number, port in enumerate(ports):
        made = layer3(draw.choice(MTUS))
        made["state"] = draw.choice(("up", "up", "down"))
        made["sflow"] = draw.random() < 0.2
        if draw.random() < 0.2:
            made["mac"] = mac % (16 * number + draw.randrange(2))
        raw["interfaces"][port] = made
        if draw.random() < 0.5:
            made["sub-interfaces"] = _subs(draw, made, layer3)
    for number in range(3):
        if draw.random() < 0.6:
            raw["loopbacks"][f"loop{number}"] = layer3(draw.choice(MTUS))
            if draw.random() < 0.4:
                raw["loopbacks"][f"loop{number}"]["mac"] = mac % (128 + draw.randrange(4))
    _add_bond(draw, raw, ports, layer3)
    _add_taps_and_tunnels(draw, raw)
    _add_layer2(draw, raw)
    if draw.random() < 0.3:
        raw["sflow"] = {"sampling-rate": draw.choice((1000, 10000)), "header-bytes": draw.choice((64, 128))}
    for name in ("first", "second"):
        if draw.random() < 0.4:
            port = draw.choice((80, 443, "1-1024"))
            action = draw.choice(("permit", "permit+reflect", "deny"))
            term = {"action": action, "protocol": "tcp", "destination-port": port}
            raw.setdefault("acls", {})[name] = {"terms": [term]}
    return raw


def _subs(draw: random.Random, parent: dict[str, Any], layer3: Any) -> dict[int, Any]:
    subs: dict[int, Any] = {}
    kind = draw.choice(("dot1q", "dot1ad"))
    for ident in draw.sample((100, 101, 102), draw.choice((1, 2))):
        mtu = draw.choice([mtu for mtu in MTUS if mtu <= parent["mtu"]])
        sub = layer3(mtu)
        sub["state"] = parent["state"] if draw.random() < 0.8 else "down"
        sub["encapsulation"] = {kind: draw.choice((10, 11, 12)), "exact-match": draw.random() < 0.8}
        subs[ident] = sub
        if draw.random() < 0.4:
            inner = dict(layer3(min(mtu, draw.choice(MTUS))), state=sub["state"])
            tags = {kind: sub["encapsulation"][kind], "inner-dot1q": draw.choice((5, 6)), "exact-match": True}
            subs[ident + 100] = {**inner, "encapsulation": tags}
    return subs


def _add_bond(draw: random.Random, raw: dict[str, Any], ports: list[str], layer3: Any) -> None:
    if draw.random() < 0.4 or len(ports) < 2:
        return
    mtu = draw.choice(MTUS)
    members = draw.sample(ports, 2)
    for port in members:
        raw["interfaces"][port] = {"mtu": mtu, "state": draw.choice(("up", "down"))}
        if draw.random() < 0.3:
            raw["interfaces"][port]["mac"] = f"02:00:00:00:01:{draw.randrange(256):02x}"
    raw["bondethernets"] = {"BondEthernet0": {"interfaces": members, "mode": draw.choice(("lacp", "xor", "broadcast"))}}
    bond = dict(layer3(mtu), state="up")
    raw["interfaces"]["BondEthernet0"] = bond
    if draw.random() < 0.4:
        bond["sub-interfaces"] = _subs(draw, bond, layer3)


def _add_taps_and_tunnels(draw: random.Random, raw: dict[str, Any]) -> None:
    if draw.random() < 0.5:
        mtu = draw.choice(MTUS)
        host = {"name": draw.choice(("vpp0", "l0", "l1")), "mtu": mtu}
        raw["taps"] = {"tap0": {"host": host, "rx-ring-size": draw.choice((256, 512))}}
        raw["interfaces"]["tap0"] = {"mtu": mtu, "state": draw.choice(("up", "down"))}
    for number in range(2):
        if draw.random() < 0.4:
            tunnel = {"local": "192.0.2.1", "remote": f"192.0.2.{draw.choice((2, 3))}", "vni": 10 + draw.randrange(3)}
            raw.setdefault("vxlan_tunnels", {})[f"vxlan_tunnel{number}"] = tunnel
            if draw.random() < 0.5:
                face: dict[str, Any] = {"mtu": draw.choice(MTUS)}
                raw["interfaces"][f"vxlan_tunnel{number}"] = face
                if draw.random() < 0.4:
                    face["sub-interfaces"] = _subs(draw, face | {"state": "up"}, lambda mtu: {"mtu": mtu})


def _add_layer2(draw: random.Random, raw: dict[str, Any]) -> None:
    """A new member loses its routing settings, and gets the bridge's MTU if nothing depends on its own."""
    faces = dict(raw["interfaces"])
    for name, face in raw["interfaces"].items():
        faces.update({f"{name}.{ident}": sub for ident, sub in face.get("sub-interfaces", {}).items()})
    members = [name for name, face in faces.items() if not face.get("sub-interfaces")]
    draw.shuffle(members)
    for number in (1, 2):
        if draw.random() < 0.4:
            continue
        joined = [members.pop() for _ in range(draw.choice((1, 2))) if members]
        mtu = faces[joined[0]]["mtu"] if joined else 1500
        for name in joined:
            _make_plain(faces[name])
        settings = {
            "learn": draw.random() < 0.5,
            "mac-age-minutes": draw.choice((0, 5)),
            "unicast-flood": draw.random() < 0.5,
        }
        raw.setdefault("bridgedomains", {})[f"bd{number}"] = {"interfaces": joined, "mtu": mtu, "settings": settings}
        if f"loop{number}" in raw["loopbacks"]:
            raw["bridgedomains"][f"bd{number}"]["bvi"] = f"loop{number}"
            raw["loopbacks"][f"loop{number}"]["mtu"] = mtu
    for _ in range(draw.choice((0, 1, 2))):
        if len(members) > 1:
            ends = [members.pop(), members.pop()]
            for name, other in (ends, ends[::-1]):
                _make_plain(faces[name])
                faces[name]["mtu"] = min(faces[end]["mtu"] for end in ends)
                faces[name]["l2xc"] = other


def _make_plain(face: dict[str, Any]) -> None:
    for key in ("addresses", "unnumbered", "lcp"):
        face.pop(key, None)
