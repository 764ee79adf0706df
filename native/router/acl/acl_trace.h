/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of ACL nodes for traces. While a trace is on, the nodes process each packet as a frame
 * of its own. */
#pragma once

#include "router/acl/acl_frame_sessions.h"
#include "router/observe/trace.h"
#include "wirespeed/trace.h"

/* False during a capture into a file. */
static inline bool acl_is_traced(const struct graph *graph)
{
	return graph_is_traced(graph) && router_worker_of(graph)->trace != NULL;
}

static __attribute__((noinline, unused)) uint16_t
acl_one_by_one(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		node->process(graph, node, packets + i, 1);
	return n;
}

static inline int32_t acl_session_number(const struct acl_frame *frame, uint16_t interface)
{
	const struct acl_sessions *sessions = frame->acls->sessions;
	union acl_session_key key;
	if (!acl_session_key(&key, &frame->batch.keys[0], frame->batch.family, interface,
						 frame->direction == ACL_OUTPUT))
		return -1;
	return (int32_t)acl_session_find(sessions, acl_session_bucket(sessions, &key), &key);
}

static inline struct ws_trace_acl acl_outcome(const struct acl_frame *frame, uint16_t interface,
											  uint16_t judged)
{
	const struct acl_tally *last = &frame->last;
	struct ws_trace_acl outcome = {
		.acl = -1, .rule = -1, .interface = interface, .next = frame->next[0]};
	if (!judged) {
		outcome.kind = frame->next[0] == FILTER_DROP ? WS_TRACE_ACL_NO_HEADER : WS_TRACE_NO_ACL;
	} else if (last->passed) {
		outcome.kind = WS_TRACE_ACL_SESSION;
		outcome.action = WS_ACL_PERMIT;
		outcome.rule = acl_session_number(frame, interface);
	} else if (last->unmatched) {
		outcome.kind = WS_TRACE_ACL_NO_RULE;
	} else {
		const struct acl_verdict *verdict = &frame->batch.list->verdicts[frame->batch.results[0]];
		outcome.kind = last->opened    ? WS_TRACE_ACL_NEW_SESSION
					   : last->refused ? WS_TRACE_ACL_NO_ROOM
									   : WS_TRACE_ACL_RULE;
		outcome.action = verdict->is_reflected   ? WS_ACL_PERMIT_REFLECT
						 : verdict->is_permitted ? WS_ACL_PERMIT
												 : WS_ACL_DENY;
		outcome.acl = verdict->acl;
		outcome.rule = verdict->rule;
	}
	return outcome;
}

/* Trace a frame of one packet; `judged` is 0 if no rule was applied. */
static __attribute__((noinline, unused)) void acl_trace(const struct acl_frame *frame,
														struct graph *graph, uint16_t judged)
{
	const struct rte_mbuf *packet = frame->packets[0];
	uint16_t interface =
		frame->direction == ACL_OUTPUT ? packet_tx_interface(packet) : packet->port;
	struct ws_trace_acl outcome = acl_outcome(frame, interface, judged);
	if (outcome.kind != WS_TRACE_NO_ACL)
		trace_acl(graph, frame->node, packet, &outcome);
}
