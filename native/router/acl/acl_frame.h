/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the ACL nodes: packets of a frame to which the same rules apply are classified
 * together.
 */
#pragma once

#include "router/acl/acl_trace.h"

static __attribute__((noinline, unused)) void acl_flush(struct acl_frame *frame)
{
	struct acl_batch *batch = &frame->batch;
	struct acl_tally tally = {0};
	if (!batch->count)
		return;
	if (batch->has_sessions) {
		acl_flush_sessions(frame);
	} else {
		acl_classify(batch);
		for (uint16_t i = 0; i < batch->count; i++)
			acl_apply(frame, i, &tally);
		acl_count(frame, &tally);
		frame->last = tally;
	}
	batch->count = 0;
}

/* The key of a packet to be classified by the list; the caller fills it in and calls acl_keep. */
static inline union acl_key *acl_key(struct acl_frame *frame, const struct acl_list *list,
									 int family, uint16_t interface)
{
	struct acl_batch *batch = &frame->batch;
	bool has_sessions = __atomic_load_n(&frame->acls->reflects[interface], __ATOMIC_RELAXED);
	if (unlikely(batch->list != list || batch->family != family ||
				 batch->has_sessions != has_sessions)) {
		acl_flush(frame);
		batch->list = list;
		batch->family = family;
		batch->has_sessions = has_sessions;
	}
	return &batch->keys[batch->count];
}

static inline void acl_keep(struct acl_frame *frame, uint16_t place, uint16_t interface)
{
	struct acl_batch *batch = &frame->batch;
	batch->places[batch->count] = place;
	batch->interfaces[batch->count] = interface;
	batch->data[batch->count] = (const uint8_t *)&batch->keys[batch->count];
	batch->count++;
}

/* The packet at `place` has an IP header of `family` (family_index) at `bytes`. */
static inline void acl_judge(struct acl_frame *frame, const struct acl_list *list, int family,
							 uint16_t interface, uint16_t place, const uint8_t *bytes,
							 size_t length)
{
	union acl_key *key = acl_key(frame, list, family, interface);
	bool is_whole =
		family ? acl_read_ip6(&key->ip6, bytes, length) : acl_read_ip4(&key->ip4, bytes, length);
	if (likely(is_whole)) {
		acl_keep(frame, place, interface);
	} else {
		graph_count(frame->node, ACL_NO_HEADER, 1);
		frame->next[place] = FILTER_DROP;
	}
}

static inline const struct acl_list *acl_list_of(const struct acl_frame *frame, uint16_t interface)
{
	return __atomic_load_n(&frame->acls->lists[frame->direction][interface], __ATOMIC_ACQUIRE);
}

static inline void acl_begin(struct acl_frame *frame, const struct graph *graph,
							 struct graph_node *node, void **packets, enum acl_direction direction)
{
	frame->node = node;
	frame->acls = acls_of(router_of(graph));
	frame->now = graph->walk_began;
	frame->direction = direction;
	frame->packets = packets;
	frame->worker = graph->worker;
	frame->batch.list = NULL;
	frame->batch.family = 0;
	frame->batch.has_sessions = false;
	frame->batch.count = 0;
}

static inline uint16_t acl_end(struct acl_frame *frame, struct graph *graph, uint16_t n)
{
	uint16_t judged = frame->batch.count;
	acl_flush(frame);
	if (unlikely(acl_is_traced(graph)) && n)
		acl_trace(frame, graph, judged);
	graph_enqueue(graph, frame->node, frame->packets, frame->next, n);
	return n;
}
