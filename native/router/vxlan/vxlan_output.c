/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan-output: output of VXLAN tunnels and their sub-interfaces, by the family of the endpoints,
 * enabled while these are up; frames are counted here.
 *
 * Uses: tx interface. Next: vxlan4-encap, vxlan6-encap, error-drop.
 */
#include "graph/arc.h"
#include "router/packet/metadata.h"
#include "router/vxlan/vxlan.h"
#include "wire/own_count.h"

enum edge { EDGE_DROP, EDGE_IP4, EDGE_IP6 };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_IP4] = "vxlan4-encap",
	[EDGE_IP6] = "vxlan6-encap",
};

enum counter { DOWN };
static const struct graph_counter counters[] = {[DOWN] = {"interface is down", true}};

/* Consecutive frames that leave through one interface, counted together for it and its tunnel. */
struct run {
	uint16_t interface, tunnel, edge;
	uint64_t packets, bytes;
};

static struct run run_of(const struct ws_router *router, uint16_t interface)
{
	const struct vxlan_tunnel *tunnel = vxlan_tunnel(router, interface);
	struct run run = {.interface = interface, .edge = EDGE_DROP};
	if (!tunnel || !interface_is_up(&router->interfaces[interface]) ||
		!interface_is_up(&router->interfaces[tunnel->interface]))
		return run;
	run.tunnel = tunnel->interface;
	run.edge = tunnel->key.family == WS_IP4 ? EDGE_IP4 : EDGE_IP6;
	return run;
}

static void run_end(const struct run *run, struct graph *graph)
{
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	if (run->edge == EDGE_DROP)
		return;
	own_pair_add(&counts->tx.at[run->tunnel], run->packets, run->bytes);
	if (run->interface != run->tunnel)
		own_pair_add(&counts->tx.at[run->interface], run->packets, run->bytes);
}

static uint16_t vxlan_output_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	struct run run = {.interface = UINT16_MAX, .edge = EDGE_DROP};
	uint64_t down = 0;
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		uint16_t interface = packet_tx_interface(packet);
		if (unlikely(interface != run.interface)) {
			run_end(&run, graph);
			run = run_of(router_of(graph), interface);
		}
		run.packets++;
		run.bytes += packet->pkt_len;
		down += run.edge == EDGE_DROP;
		next[i] = run.edge;
	}
	run_end(&run, graph);
	graph_count(node, DOWN, down);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(vxlan_output, .name = "vxlan-output", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

/* Frames that leave through tunnels, before they get the tunnels' headers. */
GRAPH_ARC(vxlan4_output_arc, .name = "vxlan4-output", .starts = {"vxlan-output"},
		  .end = "vxlan4-encap")

GRAPH_ARC(vxlan6_output_arc, .name = "vxlan6-output", .starts = {"vxlan-output"},
		  .end = "vxlan6-encap")
