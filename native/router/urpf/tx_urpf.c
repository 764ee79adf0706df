/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-tx-urpf, bond-tx-urpf: unicast RPF of packets that leave through a port, a bond or a
 * sub-interface of one.
 *
 * Loose mode passes packets from sources with a route that forwards; strict mode passes packets
 * from sources with a route back through the sending interface. The router's own addresses,
 * neighbour discovery and packets that are not routed pass. Features of the arcs interface-output
 * and bond-output. Uses: tx interface. Next: <if>-tx or bond-tx, error-drop.
 */
#include "router/fib/fib_lookup_ip4.h"
#include "router/fib/fib_lookup_ip6.h"
#include "router/path/frame_ip.h"
#include "router/urpf/urpf_check.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/urpf.h"

enum { TX_URPF_IP4, TX_URPF_IP6 }; /* by family */
static const struct graph_counter tx_urpf_counters[] = {
	[TX_URPF_IP4] = {"ip4 uRPF Drop", true},
	[TX_URPF_IP6] = {"ip6 uRPF Drop", true},
};

/* The route to a source. */
static inline uint32_t tx_urpf_look_up(const struct ws_router *router, int family, uint16_t table,
									   const uint8_t *source)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[family][table], __ATOMIC_ACQUIRE);
	uint32_t value = LOAD_BALANCE_NO_ROUTE, address;
	if (fib && family) {
		fib_trie_lookup_bulk(&fib->trie, &source, &value, 1);
	} else if (fib) {
		memcpy(&address, source, sizeof(address));
		address = be32toh(address);
		fib_trie_lookup_bulk_ip4(&fib->trie, &address, &value, 1);
	}
	return value;
}

static inline bool tx_urpf_passes(const struct ws_router *router, const struct urpf *urpf,
								  int family, uint8_t mode, uint16_t tx, const uint8_t *source)
{
	uint16_t table = urpf_table(router, urpf, URPF_TX, family, tx);
	uint32_t value = tx_urpf_look_up(router, family, table, source);
	uint8_t kind = urpf_kind(router, value);
	if (kind == ADJACENCY_LOCAL ||
		(family && (ip6_is_link_local(source) || ip6_is_unspecified(source))))
		return true;
	if (kind <= ADJACENCY_PROHIBIT)
		return mode == WS_URPF_LOOSE && urpf_accepts(urpf, table, family ? WS_IP6 : WS_IP4, source);
	return mode == WS_URPF_LOOSE || !urpf_leads_by(router, value, tx);
}

static inline uint16_t tx_urpf_one(const struct ws_router *router, const struct urpf *urpf,
								   struct graph_node *node, const struct rte_mbuf *packet)
{
	static const uint16_t sources[FAMILIES] = {offsetof(struct ip4_header, source),
											   offsetof(struct ip6_header, source)};
	static const uint16_t lengths[FAMILIES] = {IP4_LEN, IP6_LEN};
	uint16_t tx = packet_tx_interface(packet);
	size_t at;
	int family;
	/* Packets that a port sends for a bond have already been checked. */
	if (interface_mode(&router->interfaces[tx]) != WS_MODE_L3 ||
		(node->interface != NO_PORT &&
		 interface_way_out(&router->interfaces[tx]) != node->interface) ||
		!packet_find_ip(packet, &at, &family) || packet->data_len < at + lengths[family])
		return FILTER_PASS;
	uint8_t mode = __atomic_load_n(&urpf->modes[URPF_TX][family][tx], __ATOMIC_RELAXED);
	if (mode == WS_URPF_OFF || likely(tx_urpf_passes(router, urpf, family, mode, tx,
													 packet_data(packet) + at + sources[family])))
		return FILTER_PASS;
	graph_count(node, (uint16_t)family, 1);
	return FILTER_DROP;
}

static uint16_t tx_urpf_process(struct graph *graph, struct graph_node *node, void **packets,
								uint16_t n)
{
	const struct urpf *urpf = urpf_of(router_of(graph));
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = tx_urpf_one(router_of(graph), urpf, node, packets[i]);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_FILTER(tx_urpf, tx_urpf_process, TAKES_FRAME, tx_urpf_counters, "%-tx-urpf", "%-tx",
			 .arc = "interface-output", .runs_before = {"%-acl-plugin-out", "%-impairment"})
GRAPH_FILTER(bond_tx_urpf, tx_urpf_process, TAKES_FRAME | TAKES_LEAVING, tx_urpf_counters,
			 "bond-tx-urpf", "bond-tx", .arc = "bond-output",
			 .runs_before = {"bond-acl-plugin-out"})
