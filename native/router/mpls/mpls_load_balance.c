/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-load-balance: selects one of several paths, the same one for all packets of a flow.
 *
 * The flow consists of the label stack and, if an IP packet follows it, of its addresses.
 *
 * Uses: adjacency as the index of the load balance, label. Sets: adjacency. Next: by enum
 * adjacency_kind; mpls-icmp-error with the label restored.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/path/count_forwarding.h"
#include "router/path/each_packet.h"
#include "router/path/flow_hash.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

enum { MAX_HASHED_LABELS = 8 };

enum { EDGE_ICMP_ERROR = ADJACENCY_KINDS };
static const char *const edges[] = {EDGES_BEHIND_LABEL, "mpls-icmp-error"};

enum counter { DROP_PATH, TTL };
static const struct graph_counter counters[] = {
	[DROP_PATH] = {"path says drop", true},
	[TTL] = {"mpls ttl expired", true},
};

/* Hash the IP addresses at `bytes`, if an IP header is there. */
static uint64_t hash_addresses(uint64_t hash, const uint8_t *bytes, uint16_t length)
{
	uint64_t words[4];
	if (length >= IP4_LEN && bytes[0] >> 4 == 4) {
		memcpy(words, bytes + 12, 8);
		return flow_mix(hash, words[0]);
	}
	if (length >= IP6_LEN && bytes[0] >> 4 == 6) {
		memcpy(words, bytes + 8, sizeof(words));
		for (int i = 0; i < 4; i++)
			hash = flow_mix(hash, words[i]);
	}
	return hash;
}

static uint64_t flow_hash(const struct rte_mbuf *packet)
{
	uint32_t entry = packet_label(packet);
	uint64_t hash = flow_mix(0, mpls_label(entry));
	const uint8_t *bytes = packet_data(packet);
	uint16_t at = 0;
	for (int i = 0; i < MAX_HASHED_LABELS && !mpls_is_bottom(entry); i++, at += MPLS_LEN) {
		if (at + MPLS_LEN > packet->data_len)
			return hash;
		entry = mpls_load(bytes + at);
		hash = flow_mix(hash, mpls_label(entry));
	}
	if (mpls_is_bottom(entry))
		hash = hash_addresses(hash, bytes + at, packet->data_len - at);
	return hash;
}

static uint16_t mpls_load_balance_one(struct graph *graph, struct graph_node *node,
									  struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	uint64_t hash = flow_hash(packet);
	count_path(graph, packet, hash);
	uint32_t index =
		load_balance_choose(&router->load_balances.balances[packet_adjacency(packet)], hash,
							__atomic_load_n(&router->flow_hash_factor, __ATOMIC_RELAXED));
	uint8_t kind = adjacency_kind(&router->adjacencies.adjacencies[index]);
	packet_set_adjacency(packet, index);
	bool is_unlabelled = kind == ADJACENCY_POP_IP4 || kind == ADJACENCY_POP_IP6;
	graph_count(node, DROP_PATH, kind <= ADJACENCY_PROHIBIT);
	if (kind <= ADJACENCY_PROHIBIT || is_unlabelled || mpls_ttl(packet_label(packet)) > 1)
		return kind;
	graph_count(node, TTL, 1);
	mpls_set_expired(packet);
	return EDGE_ICMP_ERROR;
}

EACH_PACKET_NODE(mpls_load_balance, .name = "mpls-load-balance", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_LABEL, ADJACENCY_LOAD_BALANCE, "mpls-load-balance")
