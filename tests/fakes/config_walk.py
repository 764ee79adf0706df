"""Configurations of one router with four ports that have little in common, for walks from each to each other.

Their shapes are those with which vppcfg is tested: bonds of two ports or none, QinQ and QinAD with and without exact
match, sub-interfaces that swap their tags, cross-connects of all kinds, bridge domains with a BVI, jumbo frames.
"""

from __future__ import annotations

from typing import Any

import yaml

PORTS = ("a0", "a1", "b0", "b1")

_BOND_SUBS = """
      100: {mtu: 2500, l2xc: BondEthernet0.200, encapsulation: {dot1q: 100}}
      200: {mtu: 2500, l2xc: BondEthernet0.100, encapsulation: {dot1q: 200}}
      500: {mtu: 2000, encapsulation: {dot1ad: 500}}
      501: {mtu: 2000, encapsulation: {dot1ad: 501}}
"""
_TEXTS = {
    "ports": """
interfaces:
  a0: {state: down, mac: "02:00:00:00:0a:00"}
  a1: {state: down, mac: "02:00:00:00:0a:01"}
  b0: {state: down, mac: "02:00:00:00:0b:00"}
  b1: {state: down, mac: "02:00:00:00:0b:01"}
""",
    "bonds": f"""
bondethernets:
  BondEthernet0: {{interfaces: [a0, a1]}}
  BondEthernet1: {{mode: xor}}
interfaces:
  a0: {{mtu: 9000}}
  a1: {{mtu: 9000, mac: "02:00:00:00:0c:01"}}
  b0:
    mtu: 9000
    lcp: ice0
    addresses: [192.0.2.17/30, 2001:db8:3::1/64]
    sub-interfaces:
      1234: {{mtu: 1200, lcp: ice0.1234}}
      1235: {{mtu: 1100, lcp: ice0.1234.1, encapsulation: {{dot1q: 1234, inner-dot1q: 1000, exact-match: true}}}}
  b1: {{mtu: 2000}}
  BondEthernet0:
    mtu: 9000
    lcp: be0
    sub-interfaces: {_BOND_SUBS}
  BondEthernet1: {{}}
  vxlan_tunnel1: {{mtu: 2000}}
loopbacks:
  loop0: {{lcp: lo0, addresses: [10.0.0.1/32, 2001:db8::1/128]}}
  loop1: {{mtu: 2000, lcp: bvi1, addresses: [10.0.1.1/24, 2001:db8:1::1/64]}}
bridgedomains:
  bd1: {{mtu: 2000, bvi: loop1, interfaces: [BondEthernet0.500, BondEthernet0.501, b1, vxlan_tunnel1]}}
  bd11: {{}}
vxlan_tunnels:
  vxlan_tunnel1: {{local: 192.0.2.1, remote: 192.0.2.2, vni: 101}}
""",
    "tags": """
interfaces:
  a0: &tagged
    sub-interfaces:
      100: {description: customer}
      101: {encapsulation: {dot1q: 100, inner-dot1q: 100, exact-match: true}}
      200: {encapsulation: {dot1ad: 100, exact-match: true}}
      201: {encapsulation: {dot1ad: 100, inner-dot1q: 100}}
  a1: *tagged
  b0: *tagged
  b1: {}
""",
    "round robin": """
bondethernets:
  BondEthernet1: {interfaces: [a0, a1], mode: round-robin, mac: "02:b0:b0:00:00:02"}
interfaces:
  a0: {mtu: 9000}
  a1: {mtu: 9000}
  b0: {mtu: 2500}
  b1: {}
  BondEthernet1:
    mtu: 9000
    lcp: bond1
    sub-interfaces:
      200: {lcp: bond1.1000, addresses: [192.168.0.1/24], encapsulation: {dot1q: 1000, exact-match: true}}
      201: {mtu: 3000, encapsulation: {dot1ad: 1000}}
      203: {mtu: 2500, encapsulation: {dot1ad: 1000, inner-dot1q: 1000}}
bridgedomains:
  bd10: {mtu: 2500, interfaces: [BondEthernet1.203, b0]}
""",
    "jumbo": """
interfaces:
  a0: {mtu: 9216, mac: "12:00:ba:03:00:00", sub-interfaces: {100: {mtu: 2000, l2xc: b1.100}}}
  a1: {}
  b0:
    mtu: 9216
    sub-interfaces:
      100: {mtu: 3000}
      101: {mtu: 2000, encapsulation: {dot1q: 100, inner-dot1q: 200, exact-match: true}}
  b1: {mtu: 9216, sub-interfaces: {100: {mtu: 2000, l2xc: a0.100}}}
bridgedomains:
  bd10: {mtu: 2000, interfaces: [b0.101]}
""",
    "tunnels cross-connected": """
interfaces:
  a0: {mtu: 9216, sub-interfaces: {100: {mtu: 2000, l2xc: vxlan_tunnel0}, 101: {mtu: 1500, l2xc: vxlan_tunnel1}}}
  a1: {lcp: e1, addresses: [10.0.0.1/24]}
  b0: {mtu: 9216, sub-interfaces: {100: {mtu: 3000}}}
  b1: {mtu: 9216}
  vxlan_tunnel0: {mtu: 2000, l2xc: a0.100}
  vxlan_tunnel1: {l2xc: a0.101}
bridgedomains:
  bd10: {mtu: 3000, interfaces: [b0.100]}
vxlan_tunnels:
  vxlan_tunnel0: {local: 10.0.0.1, remote: 10.0.0.3, vni: 100}
  vxlan_tunnel1: {local: 192.0.2.1, remote: 192.0.2.2, vni: 101}
""",
    "tunnels bridged": """
interfaces:
  a0: {mtu: 9216, mac: "02:ff:ba:03:00:00", sub-interfaces: {100: {mtu: 2000, l2xc: vxlan_tunnel10}, 101: {mtu: 3000}}}
  a1: {}
  b0: {mtu: 9216, sub-interfaces: {100: {mtu: 3000}}}
  b1: {mtu: 9216, sub-interfaces: {100: {l2xc: b1.101}, 101: {l2xc: b1.100}}}
  vxlan_tunnel10: {mtu: 2000, l2xc: a0.100}
  vxlan_tunnel11:
    mtu: 3000
    sub-interfaces:
      100: {mtu: 1500, l2xc: vxlan_tunnel11.101}
      101: {mtu: 1500, l2xc: vxlan_tunnel11.100, encapsulation: {dot1q: 100, inner-dot1q: 200, exact-match: true}}
      102: {mtu: 3000}
loopbacks:
  loop11: {mtu: 3000, mac: "de:ad:00:be:ef:11", lcp: bvi11, addresses: [2001:db8:1::1/64, 192.0.2.1/30]}
bridgedomains:
  bd11: {mtu: 3000, bvi: loop11, interfaces: [b0.100, a0.101, vxlan_tunnel11.102]}
vxlan_tunnels:
  vxlan_tunnel10: {local: 10.0.0.1, remote: 10.0.0.3, vni: 100}
  vxlan_tunnel11: {local: 192.0.2.1, remote: 192.0.2.2, vni: 101}
""",
    "bond of another mode": f"""
bondethernets:
  BondEthernet0: {{interfaces: [a0, a1], mode: xor, load-balance: l2}}
interfaces:
  a0: {{mtu: 9000}}
  a1: {{mtu: 9000}}
  b0: {{mac: "02:ff:ba:12:00:00", lcp: ice0}}
  b1: {{lcp: ice1, mtu: 9000, addresses: [192.0.2.17/30, 2001:db8:3::1/64]}}
  BondEthernet0:
    mtu: 9000
    lcp: bond0
    sub-interfaces: {_BOND_SUBS}
  vxlan_tunnel1: {{}}
  tap100: {{mtu: 9000}}
loopbacks:
  loop1: {{lcp: bvi1, addresses: [192.0.2.1/30]}}
  loop2: {{lcp: bvi2, mtu: 2000, addresses: [192.0.2.5/30]}}
bridgedomains:
  bd1:
    mtu: 2000
    bvi: loop2
    interfaces: [BondEthernet0.500, BondEthernet0.501]
    settings: {{mac-age-minutes: 10, learn: false}}
  bd11: {{}}
vxlan_tunnels:
  vxlan_tunnel1: {{local: 192.0.2.1, remote: 192.0.2.2, vni: 101}}
taps:
  tap100: {{host: {{name: far-tap, mtu: 9000}}}}
""",
    "tags exchanged": """
bondethernets:
  BondEthernet0: {interfaces: [a0, a1], mac: "02:b0:b0:00:00:01"}
interfaces:
  a0: {mtu: 9000}
  a1: {mtu: 9000}
  b0: {}
  b1: {}
  BondEthernet0:
    mtu: 9000
    lcp: be0
    sub-interfaces:
      200: {mtu: 2500, l2xc: BondEthernet0.100, encapsulation: {dot1q: 100}}
      100: {mtu: 2500, l2xc: BondEthernet0.200, encapsulation: {dot1q: 200}}
      501: {mtu: 2000, encapsulation: {dot1ad: 500}}
      500: {mtu: 2000, encapsulation: {dot1ad: 501}}
  tap100: {}
loopbacks:
  loop100: {lcp: bvi100, addresses: [10.1.2.1/24]}
bridgedomains:
  bd100: {bvi: loop100, interfaces: [b0, tap100]}
taps:
  tap100: {host: {name: far-tap100, mtu: 1500}}
""",
    "tunnel routed": """
interfaces:
  a0: {mtu: 9000, sub-interfaces: {100: {mtu: 9000, l2xc: tap100}}}
  a1: {state: down}
  b0: {state: down}
  b1: {state: down}
  tap100: {mtu: 9000, l2xc: a0.100}
  vxlan_tunnel0:
    addresses: [192.0.2.1/29, "2001:db8:1:1::1/64"]
    lcp: vxlan0
    sub-interfaces: {100: {lcp: vxlan0.100, addresses: [192.0.2.33/29, "2001:db8:1:2::1/64"]}}
vxlan_tunnels:
  vxlan_tunnel0: {local: "2001:db8::1", remote: "2001:db8::2", vni: 100}
taps:
  tap100: {host: {name: far-tap100, mac: "02:01:be:ef:ca:fe", mtu: 9000}}
""",
}


def walked(*, vlans_in_linux: bool = True) -> dict[str, dict[str, Any]]:
    """The configurations by name; on a kernel without VLANs, sub-interfaces have no name in Linux."""
    configs: dict[str, dict[str, Any]] = {}
    for name, text in _TEXTS.items():
        config = yaml.safe_load(text)
        for given in config["interfaces"].values():
            for sub in given.get("sub-interfaces", {}).values():
                if not vlans_in_linux:
                    sub.pop("lcp", None)
                sub.setdefault("description", "one of several")
        configs[name] = config
    return configs
