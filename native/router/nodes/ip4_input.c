/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-input: the checks of RFC 1812 section 5.2.2 and 5.3.7 on each packet.
 *
 * Length, version, header length, checksum, then source and destination that may not be seen on the
 * wire. TTL is ip4-rewrite's matter: a packet to this router may have any.
 *
 * Uses: mbuf->port (counts the interface's IPv4 packets). Next: ip4-lookup, error-drop.
 */
#include "graph/graph.h"
#include "router/interface_run.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/ip4.h"

enum edge { EDGE_LOOKUP, EDGE_DROP };
static const char *const edges[] = {[EDGE_LOOKUP] = "ip4-lookup", [EDGE_DROP] = "error-drop"};

/* The first ones in the order of enum ip4_check. */
enum counter {
	OPTIONS = 0,
	SOURCE_THIS_NETWORK = IP4_CHECKSUM + 1,
	SOURCE_LOOPBACK,
	SOURCE_MULTICAST,
	SOURCE_CLASS_E,
	SOURCE_BROADCAST,
	SOURCE_OWN,
	DESTINATION_THIS_NETWORK,
	DESTINATION_LOOPBACK,
	DESTINATION_MULTICAST,
	DESTINATION_CLASS_E,
	DESTINATION_BROADCAST,
	COUNTERS,
};
static const struct graph_counter counters[] = {
	[OPTIONS] = {"ip4 options present", false},
	[IP4_SHORT] = {"ip4 length < 20 bytes", true},
	[IP4_VERSION] = {"ip4 version != 4", true},
	[IP4_HEADER_LENGTH] = {"bad ip4 header length", true},
	[IP4_TOTAL_LENGTH] = {"ip4 length > l2 length", true},
	[IP4_CHECKSUM] = {"bad ip4 checksum", true},
	[SOURCE_THIS_NETWORK] = {"ip4 source in 0.0.0.0/8", true},
	[SOURCE_LOOPBACK] = {"ip4 source in 127.0.0.0/8", true},
	[SOURCE_MULTICAST] = {"ip4 source is multicast", true},
	[SOURCE_CLASS_E] = {"ip4 source in 240.0.0.0/4", true},
	[SOURCE_BROADCAST] = {"ip4 source is broadcast", true},
	[SOURCE_OWN] = {"ip4 source is our own address or network", true},
	[DESTINATION_THIS_NETWORK] = {"ip4 destination in 0.0.0.0/8", true},
	[DESTINATION_LOOPBACK] = {"ip4 destination in 127.0.0.0/8", true},
	[DESTINATION_MULTICAST] = {"ip4 multicast is not routed", true},
	[DESTINATION_CLASS_E] = {"ip4 destination in 240.0.0.0/4", true},
	[DESTINATION_BROADCAST] = {"ip4 destination is broadcast", true},
};

/* By first octet: 0 and 127 and all from 224 on. */
static const bool martians[256] = {[0] = true, [127] = true, [224 ... 255] = true};

static inline bool is_martian(uint32_t address)
{
	return martians[address >> 24];
}

static inline uint32_t may_be_own(const struct own_addresses *own, uint32_t address)
{
	uint32_t bit = own_address_bit(address);
	return (uint32_t)(own->bits[bit / 64] >> bit % 64) & 1;
}

/* The reason, given that is_martian; in the order of the counters from `first` on. */
static enum counter martian_reason(uint32_t address, enum counter first)
{
	uint32_t octet = address >> 24;
	if (octet == 0)
		return first;
	if (octet == 127)
		return first + 1;
	if (octet < 240)
		return first + 2;
	return address == UINT32_MAX ? first + 4 : first + 3;
}

static bool is_own(const struct own_addresses *own, uint32_t address, uint16_t table)
{
	for (uint32_t i = 0; i < own->count; i++)
		if (own->at[i].address == address && own->at[i].table == table)
			return true;
	return false;
}

/* Whatever is not plain: a header with options, or a packet to drop. */
static __attribute__((noinline)) enum edge check(struct graph_node *node,
												 const struct own_addresses *own,
												 const struct rte_mbuf *packet, uint16_t table)
{
	const uint8_t *data = packet_data(packet);
	enum ip4_check error = ip4_check(data, packet->data_len, packet->pkt_len);
	if (error) {
		graph_count(node, (uint16_t)error, 1);
		return EDGE_DROP;
	}
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)data;
	uint32_t source = be32toh(ip->source), destination = be32toh(ip->destination);
	enum counter reason = OPTIONS;
	if (is_martian(source))
		reason = martian_reason(source, SOURCE_THIS_NETWORK);
	else if (is_own(own, source, table))
		reason = SOURCE_OWN;
	else if (is_martian(destination))
		reason = martian_reason(destination, DESTINATION_THIS_NETWORK);
	if (reason != OPTIONS) {
		graph_count(node, reason, 1);
		return EDGE_DROP;
	}
	graph_count(node, OPTIONS, ip4_header_length(ip) > IP4_LEN);
	return EDGE_LOOKUP;
}

static uint16_t ip4_input_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	const struct own_addresses *own = __atomic_load_n(&router_of(graph)->own, __ATOMIC_ACQUIRE);
	const struct interface *interfaces = router_of(graph)->interfaces;
	struct router_worker *worker = router_worker_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	struct interface_run run = INTERFACE_RUN_NONE;
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
		if (unlikely(packet->port != run.interface))
			interface_run_next(&run, i, packet->port, &worker->interfaces[packet->port].ip4);
		/* One subtraction for both bounds of the total length, and one branch for all addresses. */
		bool is_plain =
			likely(packet->data_len >= IP4_LEN) && likely(ip->version_ihl == 0x45) &&
			likely(be16toh(ip->total_length) - (uint32_t)IP4_LEN <= packet->pkt_len - IP4_LEN) &&
			likely(checksum_is_right(ip, IP4_LEN));
		if (likely(is_plain)) {
			uint32_t source = be32toh(ip->source);
			bool special = is_martian(source);
			special |= is_martian(be32toh(ip->destination));
			special |= may_be_own(own, source);
			is_plain = !special;
		}
		next[i] = likely(is_plain) ? EDGE_LOOKUP
								   : check(node, own, packet, interfaces[packet->port].table[0]);
	}
	interface_run_end(&run, n);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip4_input = {
	.name = "ip4-input",
	.process = ip4_input_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(ip4_input)
