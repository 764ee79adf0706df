/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the nodes of ACLs share: packets of a frame that meet the same rules are classified at once.
 */
#ifndef ROUTER_ACL_FRAME_H
#define ROUTER_ACL_FRAME_H

#include "graph/graph.h"
#include "router/acl/acl.h"
#include "router/acl/acl_key.h"
#include "router/packet/metadata.h"
#include "router/router.h"

#include <rte_acl.h>

/* The edges of each of the nodes. */
enum acl_edge { ACL_PASS, ACL_DROP, ACL_EDGES };

enum acl_counter { ACL_DENIED, ACL_PERMITTED, ACL_NO_RULE, ACL_NO_HEADER, ACL_COUNTERS };
static const struct graph_counter acl_counters[] = {
	[ACL_DENIED] = {"ACL deny packets", true},
	[ACL_PERMITTED] = {"ACL permit packets", false},
	[ACL_NO_RULE] = {"ACL deny packets: no rule fits", true},
	[ACL_NO_HEADER] = {"ACL deny packets: no whole IP header", true},
};

/* Packets that wait to be classified, all by the same list and of one family. */
struct acl_batch {
	const struct acl_list *list;
	int family;
	uint16_t count;
	uint16_t places[GRAPH_FRAME_SIZE]; /* in the frame */
	const uint8_t *data[GRAPH_FRAME_SIZE];
	uint32_t results[GRAPH_FRAME_SIZE];
	union acl_key keys[GRAPH_FRAME_SIZE];
};

/* What one node makes of one frame. */
struct acl_frame {
	struct graph_node *node;
	void **packets;
	uint16_t worker;
	uint16_t next[GRAPH_FRAME_SIZE];
	struct acl_batch batch;
};

static inline void acl_classify(struct acl_batch *batch)
{
	const struct rte_acl_ctx *classifier = batch->list->classifiers[batch->family];
	/* It refuses more categories than were compiled, and no packets else. */
	if (!classifier || rte_acl_classify(classifier, batch->data, batch->results, batch->count, 1))
		memset(batch->results, 0, batch->count * sizeof(batch->results[0]));
}

static __attribute__((noinline, unused)) void acl_flush(struct acl_frame *frame)
{
	struct acl_batch *batch = &frame->batch;
	uint16_t permitted = 0, unmatched = 0;
	if (!batch->count)
		return;
	acl_classify(batch);
	for (uint16_t i = 0; i < batch->count; i++) {
		const struct acl_verdict *verdict = &batch->list->verdicts[batch->results[i]];
		const struct rte_mbuf *packet = frame->packets[batch->places[i]];
		frame->next[batch->places[i]] = verdict->is_permitted ? ACL_PASS : ACL_DROP;
		permitted += verdict->is_permitted;
		if (unlikely(!batch->results[i])) {
			unmatched++;
			continue;
		}
		struct ws_acl_count *count = &verdict->counts[frame->worker * verdict->lane_len];
		count->packets++;
		count->bytes += packet->pkt_len;
	}
	graph_count(frame->node, ACL_PERMITTED, permitted);
	graph_count(frame->node, ACL_NO_RULE, unmatched);
	graph_count(frame->node, ACL_DENIED, (uint16_t)(batch->count - permitted - unmatched));
	batch->count = 0;
}

/* The key of a packet that is to be judged by the list; acl_keep or nothing follows. */
static inline union acl_key *acl_key(struct acl_frame *frame, const struct acl_list *list,
									 int family)
{
	struct acl_batch *batch = &frame->batch;
	if (unlikely(batch->list != list || batch->family != family)) {
		acl_flush(frame);
		batch->list = list;
		batch->family = family;
	}
	return &batch->keys[batch->count];
}

static inline void acl_keep(struct acl_frame *frame, uint16_t place)
{
	struct acl_batch *batch = &frame->batch;
	batch->places[batch->count] = place;
	batch->data[batch->count] = (const uint8_t *)&batch->keys[batch->count];
	batch->count++;
}

/* The packet at `place` has an IP header of `family` (family_index) at `bytes`. */
static inline void acl_judge(struct acl_frame *frame, const struct acl_list *list, int family,
							 uint16_t place, const uint8_t *bytes, size_t length)
{
	union acl_key *key = acl_key(frame, list, family);
	bool is_whole =
		family ? acl_read_ip6(&key->ip6, bytes, length) : acl_read_ip4(&key->ip4, bytes, length);
	if (likely(is_whole)) {
		acl_keep(frame, place);
	} else {
		graph_count(frame->node, ACL_NO_HEADER, 1);
		frame->next[place] = ACL_DROP;
	}
}

static inline const struct acl_list *acl_list_of(const struct ws_router *router,
												 enum acl_direction direction, uint16_t interface)
{
	return __atomic_load_n(&router->acls->lists[direction][interface], __ATOMIC_ACQUIRE);
}

static inline void acl_begin(struct acl_frame *frame, const struct graph *graph,
							 struct graph_node *node, void **packets)
{
	frame->node = node;
	frame->packets = packets;
	frame->worker = graph->worker;
	frame->batch.list = NULL;
	frame->batch.family = 0;
	frame->batch.count = 0;
}

static inline uint16_t acl_end(struct acl_frame *frame, struct graph *graph, uint16_t n)
{
	acl_flush(frame);
	graph_enqueue(graph, frame->node, frame->packets, frame->next, n);
	return n;
}

/* The whole of a node's process for packets of one family on their way to be looked up. */
static inline __attribute__((always_inline)) uint16_t
acl_input(struct graph *graph, struct graph_node *node, void **packets, uint16_t n, uint8_t family)
{
	const struct ws_router *router = router_of(graph);
	struct acl_frame frame;
	acl_begin(&frame, graph, node, packets);
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		const struct acl_list *list = acl_list_of(router, ACL_INPUT, packet->port);
		frame.next[i] = ACL_PASS;
		if (list)
			acl_judge(&frame, list, family_index(family), i, packet_data(packet), packet->data_len);
	}
	return acl_end(&frame, graph, n);
}

#endif
