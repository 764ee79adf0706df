/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-input: what members of bonds bring is their bond's.
 *
 * LACPDUs and markers stay the member's. A member that is not to bring anything now, or a backup
 * frames for groups, is not heard: the sender or another member brings them as well.
 *
 * A feature of the arc device-input. Uses: mbuf->port. Sets: mbuf->port, to the bond. Next:
 * ethernet-input, lacp-input, error-drop.
 */
#include "graph/arc.h"
#include "graph/graph.h"
#include "router/bond/bond.h"
#include "router/nodes/each_packet.h"
#include "router/packet/metadata.h"
#include "wire/ethernet.h"

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

static inline uint16_t bond_input_one(struct graph *graph, struct graph_node *node,
									  struct rte_mbuf *packet)
{
	const struct bond_room *room = bond_room(router_of(graph));
	uint32_t of = packet->port < WS_MAX_PORTS
					  ? __atomic_load_n(&room->ports[packet->port], __ATOMIC_ACQUIRE)
					  : 0;
	if (!of)
		return EDGE_ETHERNET_INPUT;
	const struct ethernet_header *header = ethernet_parse(packet_data(packet), packet->data_len);
	if (unlikely(header && header->type == htobe16(ETHERNET_SLOW)))
		return EDGE_LACP_INPUT;
	if (unlikely(!is_heard(of, packet))) {
		graph_count(node, NOT_ACTIVE, 1);
		return EDGE_DROP;
	}
	uint16_t bond = (uint16_t)(of >> BOND_FLAG_BITS);
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	counts->rx.at[bond].packets++;
	counts->rx.at[bond].bytes += packet->pkt_len;
	graph_count(node, TAKEN, 1);
	packet->port = bond;
	return EDGE_ETHERNET_INPUT;
}

static uint16_t bond_input_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	return each_packet(graph, node, packets, n, bond_input_one);
}

static struct graph_registration bond_input = {
	.name = "bond-input",
	.process = bond_input_process,
	.edge_count = 3,
	.edges = edges,
	.counter_count = 2,
	.counters = counters,
};
GRAPH_REGISTER(bond_input)

static struct graph_feature bond_input_feature = {
	.node = "bond-input",
	.arc = "device-input",
};
GRAPH_REGISTER_FEATURE(bond_input_feature)
