"""Convergence time of a router, from the packets that a steady flow loses. With snappi:
`python examples/otg/convergence.py [URL]`; then interrupt a path of the router, and restore it.

Port 0 is in 10.0.0.0/24, port 1 in 10.0.1.0/24; the router is 254 in both.
"""

import sys
import time

import snappi

PPS = 1000

api = snappi.api(location=sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8443")
config = api.config()
config.ports.port(name="p0", location="0").port(name="p1", location="1")
config.options.flow_options.packet_loss_duration = True
for number in range(2):
    ethernet = config.devices.device(name=f"d{number}")[-1].ethernets.ethernet(name=f"e{number}")[-1]
    ethernet.connection.port_name, ethernet.mac = f"p{number}", f"02:11:00:00:00:0{number}"
    ethernet.ipv4_addresses.ipv4(name=f"host{number}", address=f"10.0.{number}.1", gateway=f"10.0.{number}.254")
flow = config.flows.flow(name="steady")[-1]
flow.tx_rx.device.tx_names, flow.tx_rx.device.rx_names = ["host0"], ["host1"]
flow.packet.ethernet().ipv4().udp()
flow.size.fixed = 128
flow.rate.pps = PPS
flow.metrics.enable = flow.metrics.loss = True
api.set_config(config)


def traffic(wanted):
    state = api.control_state()
    state.traffic.flow_transmit.state = wanted
    api.set_control_state(state)


def metric():
    request = api.metrics_request()
    request.flow.flow_names = [flow.name]
    return api.get_metrics(request).flow_metrics[0]


def lost():
    now = metric()
    return now.frames_tx - now.frames_rx


def wait_until(holds):
    while not holds():
        time.sleep(0.05)


traffic("start")
wait_until(lambda: metric().frames_rx > PPS / 5)
print("the flow runs", flush=True)
wait_until(lambda: lost() > PPS / 5)
print("the flow is interrupted", flush=True)
before = metric()
wait_until(lambda: metric().frames_rx > before.frames_rx + PPS / 5)
traffic("stop")
wait_until(lambda: metric().transmit == "stopped")
print(f"the flow goes on: {lost()} frames lost, {metric().packet_loss_duration.value:.0f} ms without a way")
