/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's part of a trace. */
#include "router/observe/trace.h"

#include "dev/error.h"
#include "router/observe/trace_state.h"
#include "router/packet/metadata.h"
#include "wire/ethernet.h"
#include "wire/frame_addresses.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_mbuf_dyn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t ADJACENCY_UNDECIDED = UINT32_MAX;
static const uint32_t NOT_TRACED = UINT32_MAX; /* only the place of its frame is followed */

struct mark {
	uint32_t packet;          /* number of the packet, or NOT_TRACED */
	uint32_t adjacency;       /* the last adjacency that was set */
	uint16_t ethernet_offset; /* offset of the Ethernet header in the buffer */
};

static int mark_offset;
static uint64_t mark_flag;

/* Register the flag and the field, once per process. */
static int trace_make(struct ws_router *router)
{
	(void)router;
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

static bool takes(const struct graph_node *node, uint8_t what)
{
	return node->registration->takes & what;
}

/* Bytes between the Ethernet header and the data of an unmarked packet that enters the node: one
 * that was received before the trace began, or that the main thread made. */
static uint16_t ethernet_length(const struct graph_node *node)
{
	return takes(node, TAKES_FRAME) ? 0 : ETHERNET_LEN;
}

/* TX interface of an adjacency, behind the labels that it changes; -1 if another table decides. */
static int32_t interface_of(const struct adjacency_table *table, uint32_t index)
{
	const struct adjacency *adjacency = &table->adjacencies[index];
	uint8_t kind;
	while ((kind = adjacency_kind(adjacency)) >= ADJACENCY_LABELS)
		adjacency = &table->adjacencies[adjacency->next];
	return kind >= ADJACENCY_GLEAN && kind < ADJACENCY_TABLE ? adjacency->tx_interface : -1;
}

/* The next step, with the common members set; NULL if there is no room. */
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

/* True for a node that takes only whole frames. */
static bool is_at_frame(const struct graph_node *node)
{
	return takes(node, TAKES_FRAME) && !takes(node, TAKES_PACKET);
}

static void record_step(const struct graph *graph, const struct graph_node *node,
						struct rte_mbuf *packet, struct trace *trace)
{
	struct ws_trace_step *step = begin_step(trace, node, packet);
	if (!step)
		return;
	bool is_decided = takes(node, TAKES_DECIDED), is_leaving = node->interface != UINT16_MAX;
	if (is_decided)
		mark_of(packet)->adjacency = packet_adjacency(packet);
	uint32_t adjacency =
		is_decided || is_leaving ? mark_of(packet)->adjacency : ADJACENCY_UNDECIDED;
	int before_data = RTE_MAX(packet->data_off - mark_of(packet)->ethernet_offset, 0);
	step->adjacency = adjacency;
	if (is_leaving)
		step->tx_interface = node->interface;
	else if (takes(node, TAKES_LEAVING))
		step->tx_interface = packet_tx_interface(packet);
	else if (is_decided)
		step->tx_interface = interface_of(&router_of(graph)->adjacencies, adjacency);
	step->packet_len = (uint16_t)((int)packet->pkt_len + before_data);
	step->byte_count = (uint16_t)RTE_MIN(packet->data_len + before_data, (int)WS_TRACE_BYTES);
	memcpy(step->bytes, packet_data(packet) - before_data, step->byte_count);
	__atomic_store_n(&trace->count, trace->count + 1, __ATOMIC_RELEASE);
}

/* True for a source of frames from outside. Packets from main-input were not received. */
static bool is_entry(const struct graph_node *node)
{
	return node->registration->is_source && is_at_frame(node);
}

/* A packet from a ring in this process may still have the mark of its sender. */
static void enter(struct rte_mbuf *packet, bool mark)
{
	packet->ol_flags &= ~mark_flag;
	if (mark)
		set_mark(packet, NOT_TRACED, packet->data_off);
}

void trace_follow(const struct graph_node *node, void **packets, uint16_t n, bool mark_all)
{
	bool is_received = is_entry(node);
	for (uint16_t i = 0; is_at_frame(node) && i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		if (is_received)
			enter(packet, mark_all || TRACE_CHECKS);
		else
			mark_of(packet)->ethernet_offset = packet->data_off;
	}
}

__attribute__((format(printf, 1, 2), noreturn)) static void panic(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	abort();
}

/*
 * An Ethernet header has 14 bytes; VLAN tags, labels and tunnel headers are multiples of 4. So the
 * distance of the data from the Ethernet header, modulo 4, distinguishes frames from packets,
 * whatever was pushed or popped.
 */
static void check_packet(const struct graph *graph, const struct graph_node *node,
						 const struct rte_mbuf *packet)
{
	int before;
	uint32_t end = __atomic_load_n(&router_of(graph)->adjacencies.end, __ATOMIC_RELAXED);
	if (takes(node, TAKES_DECIDED) && packet_adjacency(packet) >= end)
		panic("%s: TAKES_DECIDED, but there is no adjacency %u\n", node->name,
			  packet_adjacency(packet));
	if (takes(node, TAKES_FRAME) == takes(node, TAKES_PACKET) ||
		!trace_frame_start(packet, &before))
		return;
	if ((before & 3) != (takes(node, TAKES_FRAME) ? 0 : ETHERNET_LEN & 3))
		panic("%s: %s, but the data begins %d bytes behind the Ethernet header\n", node->name,
			  takes(node, TAKES_FRAME) ? "TAKES_FRAME" : "TAKES_PACKET", before);
}

void trace_check(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	if (!takes(node, TAKES_FRAME | TAKES_PACKET))
		panic("%s: its registration does not say what it takes\n", node->name);
	for (uint16_t i = 0; i < n; i++) {
		if (is_entry(node))
			enter(packets[i], true);
		check_packet(graph, node, packets[i]);
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
	const struct trace_filter *filter = trace_filter_of(router);
	return !filter || frame_touches(packet_data(packet) - before,
									(size_t)packet->data_len + (size_t)before, &filter->prefix);
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

ROUTER_MODULE_EXTERN(trace_module, .name = "trace", .make = trace_make)
