"""Devices that resolve each other by ARP and neighbor discovery, and flows between them, by snappi:
`python examples/otg/neighbors.py [URL]`.

Exit code 1 if packets were lost.
"""

import sys
import time

import snappi

api = snappi.api(location=sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8443")
config = api.config()
config.ports.port(name="p1", location="0").port(name="p2", location="1")
for own, other in ((1, 2), (2, 1)):
    ethernet = config.devices.device(name=f"d{own}")[-1].ethernets.ethernet(name=f"e{own}")[-1]
    ethernet.connection.port_name = f"p{own}"
    ethernet.mac = f"02:11:00:00:00:0{own}"
    ethernet.ipv4_addresses.ipv4(name=f"four{own}", address=f"10.0.0.{own}", gateway=f"10.0.0.{other}")
    ethernet.ipv6_addresses.ipv6(name=f"six{own}", address=f"2001:db8::{own}", gateway=f"2001:db8::{other}")
for name in ("four", "six"):
    flow = config.flows.flow(name=name)[-1]
    flow.tx_rx.device.tx_names, flow.tx_rx.device.rx_names = [f"{name}1"], [f"{name}2"]
    headers = flow.packet.ethernet()
    (headers.ipv4() if name == "four" else headers.ipv6()).udp()
    flow.size.fixed = 128
    flow.rate.pps = 1000
    flow.duration.fixed_packets.packets = 300
    flow.metrics.enable = True
api.set_config(config)

state = api.control_state()
state.protocol.all.state = "start"
api.set_control_state(state)


def neighbors(kind):
    request = api.states_request()
    getattr(request, kind).ethernet_names = []
    return list(getattr(api.get_states(request), kind))


for kind in ("ipv4_neighbors", "ipv6_neighbors"):
    while not all(one.link_layer_address for one in neighbors(kind)):
        time.sleep(0.1)
    for one in neighbors(kind):
        print(f"{one.ethernet_name}: {getattr(one, kind[:4] + '_address')} is at {one.link_layer_address}")

state = api.control_state()
state.traffic.flow_transmit.state = "start"
api.set_control_state(state)
request = api.metrics_request()
request.flow.flow_names = []
while any(metric.transmit != "stopped" for metric in api.get_metrics(request).flow_metrics):
    time.sleep(0.2)
metrics = api.get_metrics(request).flow_metrics
for metric in metrics:
    print(f"{metric.name}: {metric.frames_rx} of {metric.frames_tx} received")
sys.exit(any(metric.frames_rx != metric.frames_tx for metric in metrics))
