/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-input: packets received by members of bonds become the bond's.
 *
 * LACPDUs and markers stay the member's. Packets are dropped if the member is not collecting, and
 * so are group frames at a backup: the active member receives them as well. A feature of the arc
 * device-input. Uses: mbuf->port. Sets: mbuf->port, to the bond. Next: ethernet-input, lacp-input,
 * error-drop.
 */
#include "graph/arc.h"
#include "router/bond/bond.h"
#include "router/packet/metadata.h"
#include "wire/ethernet.h"
#include "wire/own_count.h"

enum edge { EDGE_ETHERNET_INPUT, EDGE_LACP_INPUT, EDGE_DROP };
static const char *const edges[] = {
	[EDGE_ETHERNET_INPUT] = "ethernet-input",
	[EDGE_LACP_INPUT] = "lacp-input",
	[EDGE_DROP] = "error-drop",
};

enum counter { TAKEN, NOT_ACTIVE };
static const struct graph_counter counters[] = {
	[TAKEN] = {"packets of bonds", false},
	[NOT_ACTIVE] = {"member is not active", true},
};

static inline bool is_heard(uint32_t flags, const struct rte_mbuf *packet)
{
	if (likely((flags & (BOND_TAKES | BOND_TAKES_HOSTS)) == BOND_TAKES))
		return true;
	return flags & BOND_TAKES && packet->data_len && !ethernet_is_group(packet_data(packet));
}

/* Packets of one port, which is a member. */
static void take(struct graph *graph, struct graph_node *node, uint32_t of, void *const *packets,
				 uint16_t *next, uint16_t n)
{
	uint16_t bond = (uint16_t)(of >> BOND_FLAG_BITS), taken = 0, unheard = 0;
	uint64_t bytes = 0;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct ethernet_header *header =
			ethernet_parse(packet_data(packet), packet->data_len);
		next[i] = EDGE_ETHERNET_INPUT;
		if (unlikely(header && header->type == htobe16(ETHERNET_SLOW))) {
			next[i] = EDGE_LACP_INPUT;
		} else if (unlikely(!is_heard(of, packet))) {
			unheard++;
			next[i] = EDGE_DROP;
		} else {
			bytes += packet->pkt_len;
			taken++;
			packet->port = bond;
		}
	}
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	own_pair_add(&counts->rx.at[bond], taken, bytes);
	graph_count(node, TAKEN, taken);
	graph_count(node, NOT_ACTIVE, unheard);
}

static uint16_t run_of_port(void *const *packets, uint16_t start, uint16_t n)
{
	uint16_t end = start + 1, port = ((const struct rte_mbuf *)packets[start])->port;
	while (end < n && ((const struct rte_mbuf *)packets[end])->port == port)
		end++;
	return end;
}

static uint16_t bond_input_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	const struct bond_state *state = bond_state(router_of(graph));
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		uint16_t port = ((const struct rte_mbuf *)packets[i])->port;
		end = run_of_port(packets, i, n);
		uint32_t of =
			port < WS_MAX_PORTS ? __atomic_load_n(&state->ports[port], __ATOMIC_ACQUIRE) : 0;
		if (of)
			take(graph, node, of, packets + i, next + i, end - i);
		for (uint16_t k = i; !of && k < end; k++)
			next[k] = EDGE_ETHERNET_INPUT;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(bond_input, .name = "bond-input", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

GRAPH_FEATURE(bond_input_feature, .node = "bond-input", .arc = "device-input")
