/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-input: the checks of RFC 1812 section 5.2.2 and 5.3.7 on each packet.
 *
 * Version, lengths and checksum, then sources and destinations that must not occur on a link.
 * ip4-rewrite checks the TTL: a packet to this router may have any.
 *
 * Uses: mbuf->port (counts the interface's IPv4 packets). Next: ip4-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/interface/local_addresses.h"
#include "router/packet/eight.h"
#include "router/packet/metadata.h"
#include "router/path/interface_run.h"
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

/* By first octet: 0, 127, and from 224 on. */
static const bool martians[256] = {[0] = true, [127] = true, [224 ... 255] = true};

static inline bool is_martian(uint32_t address)
{
	return martians[address >> 24];
}

static inline uint32_t may_be_own(const struct local_set *own, uint32_t address)
{
	return local_set_bit_is_set(own, LOCAL_IP4_BIT(own, address));
}

/* The reason for an address with is_martian; in the order of the counters from `first` on. */
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

static bool is_own(const struct local_set *own, uint32_t address, uint16_t table)
{
	const struct local_address whole = local_address_ip4(address, table);
	return local_set_has(own, &whole);
}

/* Check a packet that is not plain: it has options, or is to be dropped. */
static __attribute__((noinline)) enum edge check(struct graph_node *node,
												 const struct local_set *own,
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

/* Not zero in lanes where the first octet of an address, given in wire order, is martian. */
LANES_INLINE lanes are_martian(lanes addresses)
{
	lanes octets = addresses >> 24;
	return (lanes)(octets == 0) | (lanes)(octets == 127) | lanes_less(lanes_all(223), octets);
}

/* may_be_own for eight addresses. */
LANES_INLINE lanes may_be_owns(const struct local_set *own, lanes addresses)
{
	lanes bits = LOCAL_IP4_BIT(own, addresses);
	return lanes_gather(own->bitmap, bits >> 5) >> (bits & 31) & 1;
}

/* is_plain for eight packets; false if one has several segments. */
LANES_INLINE bool are_plain(const struct local_set *own, void *const *packets)
{
	lanes words[5], lengths = eight_lengths(packets), sums = {0};
	const void *headers[EIGHT];
	if (unlikely(lanes_any(lanes_less(lengths, lanes_all(IP4_LEN)))))
		return false;
	eight_data(packets, (void **)headers);
	lanes_load_four_at(headers, 0, words);
	words[4] = lanes_load_at(headers, offsetof(struct ip4_header, destination));
	for (int i = 0; i < 5; i++)
		sums += (words[i] & 0xffff) + (words[i] >> 16);
	lanes start = lanes_swap(words[0]), totals = start & 0xffff;
	lanes sources = lanes_swap(words[3]), destinations = lanes_swap(words[4]);
	lanes bad = (start >> 24 ^ 0x45) | (((sums & 0xffff) + (sums >> 16)) ^ 0xffff);
	bad |= lanes_less(totals, lanes_all(IP4_LEN)) | lanes_less(lengths, totals);
	bad |= are_martian(sources) | are_martian(destinations) | may_be_owns(own, sources);
	return !lanes_any(bad);
}

static inline bool is_plain(const struct local_set *own, const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	/* A single subtraction checks both bounds of the total length, and one branch all addresses. */
	bool is_whole =
		likely(packet->data_len >= IP4_LEN) && likely(ip->version_ihl == 0x45) &&
		likely(be16toh(ip->total_length) - (uint32_t)IP4_LEN <= packet->pkt_len - IP4_LEN) &&
		likely(checksum_is_right(ip, IP4_LEN));
	if (unlikely(!is_whole))
		return false;
	uint32_t source = be32toh(ip->source);
	bool special = is_martian(source);
	special |= is_martian(be32toh(ip->destination));
	special |= may_be_own(own, source);
	return !special;
}

static uint16_t ip4_input_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	const struct local_set *own = __atomic_load_n(&router_of(graph)->own, __ATOMIC_ACQUIRE)->ip4;
	const struct interface *interfaces = router_of(graph)->interfaces;
	struct router_worker *worker = router_worker_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	struct interface_run run = INTERFACE_RUN_NONE;
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && eight_came_by(packets + i, run.interface) &&
			are_plain(own, packets + i)) {
			eight_fill(next + i, EDGE_LOOKUP);
			continue;
		}
		for (uint16_t k = i; k < end; k++) {
			const struct rte_mbuf *packet = packets[k];
			if (unlikely(packet->port != run.interface))
				interface_run_next(&run, k, packet->port,
								   &worker->interfaces->ip4.at[packet->port]);
			next[k] = likely(is_plain(own, packet))
						  ? EDGE_LOOKUP
						  : check(node, own, packet, interface_table(&interfaces[packet->port], 0));
		}
	}
	interface_run_end(&run, n);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(ip4_input, .name = "ip4-input", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

/* Valid packets before the lookup. */
GRAPH_ARC(ip4_unicast, .name = "ip4-unicast", .starts = {"ip4-input"}, .end = "ip4-lookup")
