/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of interfaces with reflecting rules. Packets of a session pass. The others are decided by
 * the rules, and some of them open a session.
 */
#pragma once

#include "router/acl/acl_batch.h"
#include "wire/own_count.h"

/* Data of the batch's packets, by their numbers before any packet is removed. */
struct acl_lookup {
	union acl_session_key keys[GRAPH_FRAME_SIZE];
	const uint32_t *buckets[GRAPH_FRAME_SIZE]; /* NULL: the packet cannot belong to a session */
	uint16_t numbers[GRAPH_FRAME_SIZE];        /* numbers of the packets that stay in the batch */
};

static inline uint8_t acl_tcp_flags(const union acl_key *key, int family)
{
	return family ? key->ip6.upper.tcp_flags : key->ip4.upper.tcp_flags;
}

/* Buckets, and then the first session of each, are prefetched before they are read. */
static inline void acl_look_up(const struct acl_sessions *sessions, const struct acl_frame *frame,
							   struct acl_lookup *lookup)
{
	const struct acl_batch *batch = &frame->batch;
	bool is_output = frame->direction == ACL_OUTPUT;
	for (uint16_t i = 0; i < batch->count; i++) {
		union acl_session_key *key = &lookup->keys[i];
		lookup->buckets[i] = NULL;
		if (!acl_session_key(key, &batch->keys[i], batch->family, batch->interfaces[i], is_output))
			continue;
		lookup->buckets[i] = acl_session_bucket(sessions, key);
		__builtin_prefetch(lookup->buckets[i]);
	}
	for (uint16_t i = 0; i < batch->count; i++)
		if (lookup->buckets[i])
			__builtin_prefetch(
				&sessions->at[__atomic_load_n(lookup->buckets[i], __ATOMIC_RELAXED)]);
}

/* True if the packet passes as part of a session. */
static inline bool acl_pass_session(struct acl_sessions *sessions, struct acl_frame *frame,
									const struct acl_lookup *lookup, uint16_t number,
									uint16_t place)
{
	const struct acl_batch *batch = &frame->batch;
	const uint32_t *bucket = lookup->buckets[number];
	uint32_t index = bucket ? acl_session_find(sessions, bucket, &lookup->keys[number]) : 0;
	struct acl_session *session = &sessions->at[index];
	if (!index || acl_session_is_old(sessions, session, frame->now))
		return false;
	acl_session_see(sessions, session, acl_tcp_flags(&batch->keys[number], batch->family),
					frame->direction == ACL_OUTPUT, frame->now);
	frame->next[place] = FILTER_PASS;
	return true;
}

/* Remove packets of sessions from the batch and close the gaps. Returns how many were removed. */
static inline uint16_t acl_pass_sessions(struct acl_sessions *sessions, struct acl_frame *frame,
										 struct acl_lookup *lookup)
{
	struct acl_batch *batch = &frame->batch;
	uint16_t count = batch->count, left = 0;
	for (uint16_t i = 0; i < count; i++) {
		uint16_t place = batch->places[i];
		if (likely(acl_pass_session(sessions, frame, lookup, i, place)))
			continue;
		lookup->numbers[left] = i;
		batch->places[left] = place;
		batch->data[left++] = (const uint8_t *)&batch->keys[i];
	}
	batch->count = left;
	return (uint16_t)(count - left);
}

/* Open a session for packet `number`, which a rule reflects. */
static inline enum acl_opened acl_open_session(struct acl_sessions *sessions,
											   struct acl_frame *frame,
											   const struct acl_lookup *lookup, uint16_t number)
{
	uint8_t flags = acl_tcp_flags(&frame->batch.keys[number], frame->batch.family);
	return acl_session_open(sessions, &lookup->keys[number], flags, frame->direction == ACL_OUTPUT,
							frame->now);
}

/* Decide in order, since a packet may belong to a session that an earlier one opened. Returns the
 * number of sessions opened. */
static inline uint16_t acl_decide_in_turn(struct acl_sessions *sessions, struct acl_frame *frame,
										  const struct acl_lookup *lookup)
{
	const struct acl_batch *batch = &frame->batch;
	struct acl_tally tally = {0};
	uint16_t opened = 0, refused = 0, passed = 0;
	for (uint16_t i = 0; i < batch->count; i++) {
		uint16_t number = lookup->numbers[i], place = batch->places[i];
		if (opened && acl_pass_session(sessions, frame, lookup, number, place)) {
			passed++;
			continue;
		}
		if (!acl_apply(frame, i, &tally)->is_reflected || !lookup->buckets[number])
			continue;
		enum acl_opened how = acl_open_session(sessions, frame, lookup, number);
		opened += how == ACL_OPENED;
		if (unlikely(how == ACL_NO_ROOM)) {
			refused++;
			frame->next[place] = FILTER_DROP;
		}
	}
	acl_count(frame, &tally);
	graph_count(frame->node, ACL_PERMITTED, (uint64_t)0 - refused);
	graph_count(frame->node, ACL_TOO_MANY_SESSIONS, refused);
	graph_count(frame->node, ACL_NEW_SESSION, opened);
	tally.opened = opened;
	tally.refused = refused;
	frame->last = tally;
	return passed;
}

static __attribute__((noinline, unused)) void acl_flush_sessions(struct acl_frame *frame)
{
	struct acl_sessions *sessions = frame->acls->sessions;
	struct acl_lookup lookup;
	acl_look_up(sessions, frame, &lookup);
	uint16_t passed = acl_pass_sessions(sessions, frame, &lookup);
	frame->last = (struct acl_tally){0};
	if (frame->batch.count) {
		acl_classify(&frame->batch);
		passed += acl_decide_in_turn(sessions, frame, &lookup);
	}
	frame->last.passed = passed;
	own_count_add(&sessions->lanes[frame->worker].hits, passed);
	graph_count(frame->node, ACL_EXISTING_SESSION, passed);
	graph_count(frame->node, ACL_PERMITTED, passed);
}
