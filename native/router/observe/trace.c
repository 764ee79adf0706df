/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker does for a trace. */
#include "router/observe/trace.h"

#include "dev/error.h"
#include "router/observe/trace_state.h"
#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/ethernet.h"
#include "wire/frame_addresses.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_mbuf_dyn.h>
#include <stdio.h>
#include <string.h>

static const uint32_t ADJACENCY_UNDECIDED = UINT32_MAX;
static const uint32_t NOT_TRACED = UINT32_MAX; /* its frame's place is followed, no more */

struct mark {
	uint32_t packet;          /* its number, or NOT_TRACED */
	uint32_t adjacency;       /* the last one decided */
	uint16_t ethernet_offset; /* of the Ethernet header in the buffer */
};

static int mark_offset;
static uint64_t mark_flag;

int trace_init(void)
{
	static const struct rte_mbuf_dynflag flag = {.name = "wirespeed_traced"};
	static const struct rte_mbuf_dynfield field = {
		.name = "wirespeed_trace",
		.size = sizeof(struct mark),
		.align = __alignof__(struct mark),
	};
	int bit = rte_mbuf_dynflag_register(&flag);
	mark_offset = rte_mbuf_dynfield_register(&field);
	if (bit < 0 || mark_offset < 0)
		return fail(-rte_errno, "packet buffers have no room for a trace mark");
	mark_flag = 1ULL << bit;
	return 0;
}

static struct mark *mark_of(struct rte_mbuf *packet)
{
	return RTE_MBUF_DYNFIELD(packet, mark_offset, struct mark *);
}

static void set_mark(struct rte_mbuf *packet, uint32_t number, uint16_t ethernet_offset)
{
	packet->ol_flags |= mark_flag;
	*mark_of(packet) = (struct mark){number, ADJACENCY_UNDECIDED, ethernet_offset};
}

void trace_moved(struct rte_mbuf *packet, int bytes)
{
	if (packet->ol_flags & mark_flag)
		mark_of(packet)->ethernet_offset = (uint16_t)(mark_of(packet)->ethernet_offset + bytes);
}

/* Whether packets that enter the node carry the index of an adjacency, whichever way they came. */
static bool is_after_lookup(const struct graph_node *node)
{
	static const char *const names[] = {
		"ip4-rewrite",
		"ip4-arp",
		"ip4-frag",
		"ip4-local",
		"ip4-mpls-label-imposition-uniform",
		"lookup-ip4-dst",
		"ip6-rewrite",
		"ip6-glean",
		"ip6-discover-neighbor",
		"ip6-mpls-label-imposition-uniform",
		"lookup-ip6-dst",
		"mpls-label-imposition-uniform",
		"mpls-label-disposition-uniform",
		"ip4-mpls-label-disposition-uniform",
		"ip6-mpls-label-disposition-uniform",
		"mpls-output",
	};
	for (size_t i = 0; i < RTE_DIM(names); i++)
		if (!strcmp(node->name, names[i]))
			return true;
	return false;
}

/* What ethernet-input has left in front of the data of packets that enter the node: the header,
 * which it has moved up to them where it took tags away. */
static uint16_t ethernet_length(const struct graph_node *node)
{
	static const char *const groups[] = {"ip4-",       "ip6-",  "icmp4-",
										 "icmp6-",     "mpls-", "lookup-ip4",
										 "lookup-ip6", "arp-",  "acl-plugin-in-ip"};
	for (size_t i = 0; i < RTE_DIM(groups); i++)
		if (!strncmp(node->name, groups[i], strlen(groups[i])))
			return ETHERNET_LEN;
	return 0;
}

/* The interface that an adjacency sends by, behind the labels that it changes first; -1 when
 * another table decides. */
static int32_t interface_of(const struct adjacency_table *table, uint32_t index)
{
	const struct adjacency *adjacency = &table->adjacencies[index];
	uint8_t kind;
	while ((kind = adjacency_kind(adjacency)) >= ADJACENCY_LABELS)
		adjacency = &table->adjacencies[adjacency->next];
	return kind >= ADJACENCY_GLEAN && kind < ADJACENCY_TABLE ? adjacency->tx_interface : -1;
}

/* The next one, with what all have; NULL when there is no room. */
static struct ws_trace_step *begin_step(struct trace *trace, const struct graph_node *node,
										const struct rte_mbuf *packet)
{
	if (trace->count == TRACE_STEPS)
		return NULL;
	struct ws_trace_step *step = &trace->steps[trace->count];
	memset(step, 0, sizeof(*step));
	step->packet = mark_of((struct rte_mbuf *)(uintptr_t)packet)->packet;
	step->tsc = graph_tsc();
	snprintf(step->node, sizeof(step->node), "%s", node->name);
	step->rx_interface = packet->port;
	step->tx_interface = -1;
	return step;
}

/* Frames begin with their Ethernet header there. */
static bool is_of_bonds(const struct graph_node *node)
{
	return !strncmp(node->name, "bond-", strlen("bond-"));
}

/* Whether it is on the way out of a bond, whose packets know by which interface they go. */
static bool is_out_of_bond(const struct graph_node *node)
{
	return is_of_bonds(node) && strcmp(node->name, "bond-input") != 0;
}

static void record_step(const struct graph *graph, const struct graph_node *node,
						struct rte_mbuf *packet, struct trace *trace)
{
	struct ws_trace_step *step = begin_step(trace, node, packet);
	if (!step)
		return;
	bool is_decided = is_after_lookup(node), is_leaving = node->interface != UINT16_MAX;
	if (is_decided)
		mark_of(packet)->adjacency = packet_adjacency(packet);
	uint32_t adjacency =
		is_decided || is_leaving ? mark_of(packet)->adjacency : ADJACENCY_UNDECIDED;
	/* A frame that leaves begins with its header, wherever that of the one that came was. */
	if (is_leaving || is_of_bonds(node))
		mark_of(packet)->ethernet_offset = packet->data_off;
	int before_data = RTE_MAX(packet->data_off - mark_of(packet)->ethernet_offset, 0);
	step->adjacency = adjacency;
	if (is_leaving)
		step->tx_interface = node->interface;
	else if (is_out_of_bond(node))
		step->tx_interface = packet_tx_interface(packet);
	else if (is_decided)
		step->tx_interface = interface_of(&router_of(graph)->adjacencies, adjacency);
	step->packet_len = (uint16_t)((int)packet->pkt_len + before_data);
	step->byte_count = (uint16_t)RTE_MIN(packet->data_len + before_data, (int)WS_TRACE_BYTES);
	memcpy(step->bytes, packet_data(packet) - before_data, step->byte_count);
	__atomic_store_n(&trace->count, trace->count + 1, __ATOMIC_RELEASE);
}

/* Whether packets come in from outside here; those that the main thread made are in the middle of
 * their way. */
static bool is_entry(const struct graph_node *node)
{
	return node->registration->is_source && strcmp(node->name, "main-input") != 0;
}

/* Whether the data of packets that enter the node begins with the Ethernet header. */
static bool is_at_frame(const struct graph_node *node)
{
	return is_entry(node) || node->interface != UINT16_MAX ||
		   !strncmp(node->name, "l2-", strlen("l2-")) || is_of_bonds(node);
}

void trace_follow(const struct graph_node *node, void **packets, uint16_t n, bool mark_all)
{
	if (!is_at_frame(node))
		return;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		if (!is_entry(node)) {
			mark_of(packet)->ethernet_offset = packet->data_off;
			continue;
		}
		/* A packet from a ring in this process may bear the mark of its sender. */
		packet->ol_flags &= ~mark_flag;
		if (mark_all)
			set_mark(packet, NOT_TRACED, packet->data_off);
	}
}

bool trace_frame_start(const struct rte_mbuf *packet, int *before_data)
{
	if (!(packet->ol_flags & mark_flag))
		return false;
	*before_data =
		packet->data_off - mark_of((struct rte_mbuf *)(uintptr_t)packet)->ethernet_offset;
	return true;
}

static bool is_traced(const struct rte_mbuf *packet)
{
	return (packet->ol_flags & mark_flag) &&
		   mark_of((struct rte_mbuf *)(uintptr_t)packet)->packet != NOT_TRACED;
}

void trace_acl(struct graph *graph, const struct graph_node *node, const struct rte_mbuf *packet,
			   const struct ws_trace_acl *acl)
{
	struct trace *trace = router_worker_of(graph)->trace;
	struct ws_trace_step *step =
		trace && is_traced(packet) ? begin_step(trace, node, packet) : NULL;
	if (!step)
		return;
	step->adjacency = ADJACENCY_UNDECIDED;
	step->packet_len = (uint16_t)packet->pkt_len;
	step->acl = *acl;
	__atomic_store_n(&trace->count, trace->count + 1, __ATOMIC_RELEASE);
}

static bool is_wanted(const struct ws_router *router, const struct rte_mbuf *packet, int before)
{
	return !router->filter ||
		   frame_touches(packet_data(packet) - before, (size_t)packet->data_len + (size_t)before,
						 &router->filter->prefix);
}

void trace_packets(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	struct trace *trace = router_worker_of(graph)->trace;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		bool is_marked = is_traced(packet);
		if (!is_marked && trace->remaining[node->index]) {
			int before;
			if (!trace_frame_start(packet, &before))
				before = ethernet_length(node);
			if (is_wanted(router_of(graph), packet, before)) {
				trace->remaining[node->index]--;
				set_mark(packet, trace->packets++, (uint16_t)(packet->data_off - before));
				is_marked = true;
			}
		}
		if (is_marked)
			record_step(graph, node, packet, trace);
	}
}
