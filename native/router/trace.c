/* SPDX-License-Identifier: Apache-2.0 */
#include "router/trace.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>
#include <stdio.h>
#include <string.h>

enum { TRACE_STEPS = 4096, ADJACENCY_UNDECIDED = UINT32_MAX };

struct mark {
	uint32_t packet;
	uint32_t adjacency;       /* the last one decided */
	uint16_t ethernet_offset; /* of the Ethernet header in the buffer */
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

static struct mark *mark_of(struct rte_mbuf *packet)
{
	return RTE_MBUF_DYNFIELD(packet, mark_offset, struct mark *);
}

void trace_moved(struct rte_mbuf *packet, int bytes)
{
	if (packet->ol_flags & mark_flag)
		mark_of(packet)->ethernet_offset = (uint16_t)(mark_of(packet)->ethernet_offset + bytes);
}

/* Whether packets that enter the node carry the index of an adjacency. */
static bool is_after_lookup(const struct graph_node *node)
{
	static const char *const names[] = {"ip4-rewrite", "ip4-arp", "ip4-local"};
	for (size_t i = 0; i < RTE_DIM(names); i++)
		if (!strcmp(node->name, names[i]))
			return true;
	return false;
}

/* What ethernet-input has taken off in front of the data of packets that enter the node. */
static uint16_t ethernet_length(const struct graph_node *node)
{
	bool is_behind = !strncmp(node->name, "ip4-", 4) || !strncmp(node->name, "icmp4-", 6) ||
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
	int before_data = packet->data_off - mark_of(packet)->ethernet_offset;
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

void trace_packets(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	struct trace *trace = router_worker_of(graph)->trace;
	bool is_source = node->registration->is_source;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		/* A packet from a ring in this process may bear the mark of its sender. */
		if (is_source)
			packet->ol_flags &= ~mark_flag;
		if (trace->remaining[node->index] && !(packet->ol_flags & mark_flag)) {
			trace->remaining[node->index]--;
			packet->ol_flags |= mark_flag;
			*mark_of(packet) = (struct mark){
				.packet = trace->packets++,
				.adjacency = ADJACENCY_UNDECIDED,
				.ethernet_offset = packet->data_off - ethernet_length(node),
			};
		}
		if (packet->ol_flags & mark_flag)
			record(graph, node, packet, trace);
	}
}

static void set_hook(struct ws_router *router, graph_trace_fn *hook)
{
	for (uint16_t i = 0; i < router->worker_count; i++)
		router->workers[i]->graph->trace = hook;
	if (!hook)
		rcu_synchronize();
}

int ws_router_trace_add(struct ws_router *router, const char *node, uint32_t count)
{
	int error = 0;
	if (!graph_node(router->workers[0]->graph, node))
		return fail(-ENOENT, "no node is called %s", node);
	set_hook(router, NULL);
	for (uint16_t i = 0; i < router->worker_count && !error; i++) {
		struct router_worker *worker = router->workers[i];
		if (!worker->trace)
			error = create_trace(worker);
		if (!error)
			worker->trace->remaining[graph_node(worker->graph, node)->index] += count;
	}
	if (!error)
		set_hook(router, trace_packets);
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
	set_hook(router, NULL);
	for (uint16_t i = 0; i < router->worker_count; i++)
		trace_free(router->workers[i]);
}
