"""Two flows from the generator's port 0 to port 1, by snappi: `python examples/otg/two_flows.py [URL]`.

Exit code 1 if packets were lost.
"""

import sys
import time

import snappi

api = snappi.api(location=sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8443")
config = api.config()
config.ports.port(name="p1", location="0").port(name="p2", location="1")
for name, port in (("dns", 53), ("web", 80)):
    flow = config.flows.flow(name=name)[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
    ip.src.increment.start, ip.src.increment.step, ip.src.increment.count = "16.0.0.1", "0.0.0.1", 254
    ip.dst.value = "48.0.0.1"
    udp.dst_port.value = port
    flow.size.fixed = 128
    flow.rate.pps = 1000
    flow.duration.fixed_packets.packets = 500
    flow.metrics.enable = flow.metrics.loss = True
    flow.metrics.latency.enable = True
api.set_config(config)

control = api.control_state()
control.traffic.flow_transmit.state = control.traffic.flow_transmit.START
api.set_control_state(control)

request = api.metrics_request()
request.flow.flow_names = []
while any(metric.transmit != "stopped" for metric in api.get_metrics(request).flow_metrics):
    time.sleep(0.2)
metrics = api.get_metrics(request).flow_metrics
for metric in metrics:
    print(f"{metric.name}: {metric.frames_tx} sent, {metric.frames_rx} received, {metric.loss:g} % lost")
sys.exit(any(metric.frames_rx != metric.frames_tx for metric in metrics))
