"""A capture of a flow's packets, by snappi: `python examples/otg/hello.py [URL]`."""

import struct
import sys
import time

import snappi

api = snappi.api(location=sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8443")
config = api.config()
p1, p2 = config.ports.port(name="p1", location="0").port(name="p2", location="1")
layer1 = config.layer1.layer1(name="l1", port_names=[p1.name, p2.name])[-1]
layer1.speed = layer1.SPEED_10_GBPS
config.captures.capture(name="c1", port_names=[p2.name])
flow = config.flows.flow(name="hello")[-1]
flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = p1.name, [p2.name]
flow.size.fixed = 128
flow.rate.pps = 1000
flow.duration.fixed_packets.packets = 200
flow.metrics.enable = True
ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
ethernet.src.value, ethernet.dst.value = "00:aa:00:00:04:00", "00:aa:00:00:00:aa"
ip.src.value, ip.dst.value = "10.1.1.2", "10.1.1.1"
udp.src_port.values = [5010, 5015, 5020]
udp.dst_port.increment.start, udp.dst_port.increment.step, udp.dst_port.increment.count = 6010, 5, 4
api.set_config(config)


def control(fill):
    state = api.control_state()
    fill(state)
    api.set_control_state(state)


def capture(state, wanted):
    state.port.capture.port_names, state.port.capture.state = [p2.name], wanted


control(lambda state: capture(state, "start"))
control(lambda state: setattr(state.traffic.flow_transmit, "state", "start"))
request = api.metrics_request()
request.flow.flow_names = [flow.name]
while (metric := api.get_metrics(request).flow_metrics[0]).transmit != "stopped":
    time.sleep(0.2)
control(lambda state: capture(state, "stop"))

wanted = api.capture_request()
wanted.port_name = p2.name
file = api.get_capture(wanted).read()
count, at, ports = 0, 24, set()
while at < len(file):  # a pcap file: a header of 24 bytes, then packets with headers of 16
    (length,) = struct.unpack_from("<I", file, at + 8)
    ports.add(struct.unpack_from(">HH", file, at + 16 + 34))
    count, at = count + 1, at + 16 + length
print(f"{metric.name}: {metric.frames_rx} received, {count} captured, {len(ports)} pairs of ports")
sys.exit(metric.frames_rx != metric.frames_tx or count != metric.frames_rx)
