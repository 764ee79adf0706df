"""A mix of frame sizes for two seconds, with latency by class (DSCP), by snappi: `python examples/otg/imix.py [URL]`.

Exit code 1 if packets were lost.
"""

import sys
import time

import snappi

api = snappi.api(location=sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8443")
config = api.config()
config.ports.port(name="p1", location="0").port(name="p2", location="1")
flow = config.flows.flow(name="mix")[-1]
flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
ip.priority.dscp.phb.values = [8, 46]
ip.priority.dscp.phb.metric_tags.metrictag(name="class", offset=0, length=6)
ip.src.value, ip.dst.value = "16.0.0.1", "48.0.0.1"
flow.size.weight_pairs.predefined = "imix"
flow.rate.percentage = 0.5
flow.duration.fixed_seconds.seconds = 2
flow.metrics.enable = flow.metrics.loss = True
flow.metrics.latency.enable = True
api.set_config(config)

state = api.control_state()
state.traffic.flow_transmit.state = "start"
api.set_control_state(state)
request = api.metrics_request()
request.flow.flow_names = [flow.name]
while (metric := api.get_metrics(request).flow_metrics[0]).transmit != "stopped":
    time.sleep(0.2)
mean_bytes = metric.bytes_rx / metric.frames_rx
print(f"{metric.name}: {metric.loss:g} % lost, {mean_bytes:.0f} bytes per frame")
for one in metric.tagged_metrics:
    print(f"class {int(one.tags[0].value.hex, 16)}: {one.loss:g} % lost")
sys.exit(metric.frames_rx != metric.frames_tx)
