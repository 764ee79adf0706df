/* SPDX-License-Identifier: Apache-2.0 */
#include "router/trace.h"

#include "dev/error.h"
#include "router/metadata.h"
#include "router/observe.h"
#include "router/router.h"
#include "wire/ethernet.h"
#include "wire/frame_addresses.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_STEPS = 4096 };
static const uint32_t ADJACENCY_UNDECIDED = UINT32_MAX;
static const uint32_t NOT_TRACED = UINT32_MAX; /* its frame's place is followed, no more */

struct mark {
	uint32_t packet;          /* its number, or NOT_TRACED */
	uint32_t adjacency;       /* the last one decided */
	uint16_t ethernet_offset; /* of the Ethernet header in the buffer */
};

struct trace_filter {
	struct ws_prefix prefix;
};

struct trace {
	uint32_t remaining[GRAPH_MAX_NODES]; /* packets still to mark, by node */
	uint32_t packets;
	uint64_t count; /* of steps; published by the worker after each */
	struct ws_trace_step steps[TRACE_STEPS];
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

static int create_trace(struct router_worker *worker)
{
	worker->trace = rte_zmalloc("trace", sizeof(*worker->trace), RTE_CACHE_LINE_SIZE);
	return worker->trace ? 0 : fail(-ENOMEM, "no memory for a trace of %d steps", TRACE_STEPS);
}

void trace_free(struct router_worker *worker)
{
	rte_free(worker->trace);
	worker->trace = NULL;
}

void trace_carry_over(struct router_worker *worker, struct graph *graph, struct graph *old)
{
	uint32_t remaining[GRAPH_MAX_NODES] = {0};
	for (uint16_t i = 0; worker->trace && i < graph->node_count; i++) {
		const struct graph_node *before = graph_node(old, graph->nodes[i]->name);
		remaining[i] = before ? worker->trace->remaining[before->index] : 0;
	}
	if (worker->trace)
		memcpy(worker->trace->remaining, remaining, sizeof(remaining));
	graph->trace = old->trace;
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

/* Whether packets that enter the node carry the index of an adjacency. */
static bool is_after_lookup(const struct graph_node *node)
{
	static const char *const names[] = {
		"ip4-rewrite", "ip4-arp",        "ip4-local", "ip4-mpls-label-imposition-uniform",
		"mpls-output", "lookup-ip4-dst",
	};
	for (size_t i = 0; i < RTE_DIM(names); i++)
		if (!strcmp(node->name, names[i]))
			return true;
	return false;
}

/* What ethernet-input has taken off in front of the data of packets that enter the node. */
static uint16_t ethernet_length(const struct graph_node *node)
{
	bool is_behind = !strncmp(node->name, "ip4-", 4) || !strncmp(node->name, "mpls-", 5) ||
					 !strcmp(node->name, "lookup-ip4-dst") || !strncmp(node->name, "icmp4-", 6) ||
					 !strcmp(node->name, "arp-input");
	return is_behind ? ETHERNET_LEN : 0;
}

static void record(const struct graph *graph, const struct graph_node *node,
				   struct rte_mbuf *packet, struct trace *trace)
{
	if (trace->count == TRACE_STEPS)
		return;
	struct ws_trace_step *step = &trace->steps[trace->count];
	bool is_decided = is_after_lookup(node), is_leaving = node->interface != UINT16_MAX;
	if (is_decided)
		mark_of(packet)->adjacency = packet_adjacency(packet);
	uint32_t adjacency =
		is_decided || is_leaving ? mark_of(packet)->adjacency : ADJACENCY_UNDECIDED;
	/* A frame that leaves begins with its header, wherever that of the one that came was. */
	if (is_leaving)
		mark_of(packet)->ethernet_offset = packet->data_off;
	int before_data = RTE_MAX(packet->data_off - mark_of(packet)->ethernet_offset, 0);
	memset(step, 0, sizeof(*step));
	step->packet = mark_of(packet)->packet;
	step->tsc = graph_tsc();
	snprintf(step->node, sizeof(step->node), "%s", node->name);
	step->rx_interface = packet->port;
	step->adjacency = adjacency;
	step->tx_interface = -1;
	if (is_leaving)
		step->tx_interface = node->interface;
	else if (is_decided && adjacency >= ADJACENCY_FIRST_GLEAN)
		step->tx_interface = router_of(graph)->adjacencies.adjacencies[adjacency].tx_interface;
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
		   !strncmp(node->name, "l2-", strlen("l2-"));
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
		bool is_traced = (packet->ol_flags & mark_flag) && mark_of(packet)->packet != NOT_TRACED;
		if (!is_traced && trace->remaining[node->index]) {
			int before;
			if (!trace_frame_start(packet, &before))
				before = ethernet_length(node);
			if (is_wanted(router_of(graph), packet, before)) {
				trace->remaining[node->index]--;
				set_mark(packet, trace->packets++, (uint16_t)(packet->data_off - before));
				is_traced = true;
			}
		}
		if (is_traced)
			record(graph, node, packet, trace);
	}
}

int ws_router_trace_add(struct ws_router *router, const char *node, uint32_t count)
{
	int error = 0;
	if (!graph_node(router->workers[0]->graph, node))
		return fail(-ENOENT, "no node is called %s", node);
	observe_pause(router);
	for (uint16_t i = 0; i < router->worker_count && !error; i++) {
		struct router_worker *worker = router->workers[i];
		if (!worker->trace)
			error = create_trace(worker);
		if (!error)
			worker->trace->remaining[graph_node(worker->graph, node)->index] += count;
	}
	observe_resume(router);
	return error;
}

int ws_router_trace(struct ws_router *router, uint16_t worker, uint64_t start,
					struct ws_trace_step *out, uint32_t max)
{
	if (worker >= router->worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker, router->worker_count);
	const struct trace *trace = router->workers[worker]->trace;
	uint64_t count = trace ? __atomic_load_n(&trace->count, __ATOMIC_ACQUIRE) : 0;
	if (start >= count)
		return 0;
	uint32_t n = (uint32_t)RTE_MIN(count - start, (uint64_t)max);
	memcpy(out, &trace->steps[start], n * sizeof(*out));
	return (int)n;
}

void ws_router_trace_clear(struct ws_router *router)
{
	observe_pause(router);
	for (uint16_t i = 0; i < router->worker_count; i++)
		trace_free(router->workers[i]);
	observe_resume(router);
}

int ws_router_trace_filter(struct ws_router *router, const struct ws_prefix *prefix)
{
	struct trace_filter *filter = prefix ? malloc(sizeof(*filter)) : NULL;
	if (prefix && !filter)
		return fail(-ENOMEM, "no memory for a filter");
	if (filter)
		filter->prefix = *prefix;
	observe_pause(router);
	free(router->filter);
	router->filter = filter;
	observe_resume(router);
	return 0;
}

void trace_close(struct ws_router *router)
{
	free(router->filter);
	router->filter = NULL;
}
