/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of one frame to which the same rules apply. */
#pragma once

#include "graph/arc.h"
#include "router/acl/acl_session.h"
#include "router/packet/metadata.h"
#include "wire/own_count.h"

#include <rte_acl.h>

enum acl_counter {
	ACL_DENIED,
	ACL_PERMITTED,
	ACL_NO_RULE,
	ACL_NO_HEADER,
	ACL_NEW_SESSION,
	ACL_EXISTING_SESSION,
	ACL_TOO_MANY_SESSIONS,
};
static const struct graph_counter acl_counters[] = {
	[ACL_DENIED] = {"ACL deny packets", true},
	[ACL_PERMITTED] = {"ACL permit packets", false},
	[ACL_NO_RULE] = {"ACL deny packets: no rule fits", true},
	[ACL_NO_HEADER] = {"ACL deny packets: no whole IP header", true},
	[ACL_NEW_SESSION] = {"new sessions added", false},
	[ACL_EXISTING_SESSION] = {"existing session packets", false},
	[ACL_TOO_MANY_SESSIONS] = {"too many sessions to add new", true},
};

/* Packets to be classified, all by the same list and of one family. */
struct acl_batch {
	const struct acl_list *list;
	int family;
	bool has_sessions; /* packets without a session are classified */
	uint16_t count;
	uint16_t places[GRAPH_FRAME_SIZE]; /* indices in the frame */
	uint16_t interfaces[GRAPH_FRAME_SIZE];
	const uint8_t *data[GRAPH_FRAME_SIZE];
	uint32_t results[GRAPH_FRAME_SIZE];
	union acl_key keys[GRAPH_FRAME_SIZE];
};

/* Result of a packet to which rules were applied, or which has a session. */
struct acl_tally {
	uint16_t asked, permitted, unmatched;
	uint16_t passed, opened, refused;
};

/* A frame in an ACL node. */
struct acl_frame {
	struct graph_node *node;
	const struct acl_table *acls;
	void **packets;
	uint64_t now;
	uint16_t worker;
	enum acl_direction direction;
	uint16_t next[GRAPH_FRAME_SIZE];
	struct acl_tally last; /* tally of the last batch */
	struct acl_batch batch;
};

static inline void acl_classify(struct acl_batch *batch)
{
	const struct rte_acl_ctx *classifier = batch->list->classifiers[batch->family];
	/* rte_acl_classify fails only if more categories are requested than were compiled. */
	if (!classifier || rte_acl_classify(classifier, batch->data, batch->results, batch->count, 1))
		memset(batch->results, 0, batch->count * sizeof(batch->results[0]));
}

/* Apply the classifier's result for packet `i` of the batch. */
static inline const struct acl_verdict *acl_apply(struct acl_frame *frame, uint16_t i,
												  struct acl_tally *tally)
{
	struct acl_batch *batch = &frame->batch;
	const struct acl_verdict *verdict = &batch->list->verdicts[batch->results[i]];
	const struct rte_mbuf *packet = frame->packets[batch->places[i]];
	frame->next[batch->places[i]] = verdict->is_permitted ? FILTER_PASS : FILTER_DROP;
	tally->asked++;
	tally->permitted += verdict->is_permitted;
	if (unlikely(!batch->results[i])) {
		tally->unmatched++;
		return verdict;
	}
	struct own_pair *count = &verdict->counts[frame->worker * verdict->lane_len];
	own_pair_add(count, 1, packet->pkt_len);
	return verdict;
}

static inline void acl_count(struct acl_frame *frame, const struct acl_tally *tally)
{
	graph_count(frame->node, ACL_PERMITTED, tally->permitted);
	graph_count(frame->node, ACL_NO_RULE, tally->unmatched);
	graph_count(frame->node, ACL_DENIED,
				(uint16_t)(tally->asked - tally->permitted - tally->unmatched));
}
