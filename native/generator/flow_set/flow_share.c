/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port of a flow set counts the frames that it receives. Each burst is read first, so that
 * entries of all its flows are on their way when the first one is needed.
 */
#include "generator/flow_set/flow_share.h"

#include "generator/receive/hdr_index.h"
#include "wire/frame_kind.h"

void flow_share_begin(struct flow_share *share, uint32_t phase, uint16_t generation,
					  uint32_t latency_every)
{
	share->phase = phase;
	share->generation = generation;
	share->latency_mask = latency_every ? latency_every - 1 : UINT32_MAX;
	share->sequence = FLOW_FIRST_SEQUENCE;
	share->counts = (struct ws_flow_counts){0};
	for (uint16_t i = 0; i < share->senders; i++) {
		sequence_begin(&share->received[i]);
		share->delays[i].is_known = false;
	}
}

static void count_other(struct ws_flow_counts *counts, const struct flow_view *view)
{
	switch (frame_kind(view->head, view->head_len, view->length)) {
	case FRAME_ICMP_ERROR:
	case FRAME_ICMP6_ERROR:
		counts->icmp_errors++;
		return;
	case FRAME_ORDINARY:
		counts->unknown++;
		return;
	default:
		return;
	}
}

static void take_variation(struct flow_share *share, const struct flow_frame *frame, uint64_t ns)
{
	struct ws_flow_counts *counts = &share->counts;
	struct flow_delay *before = &share->delays[flow_frame_sender(frame) & ~FLOW_OF_RESPONDER];
	if (before->is_known && frame->sequence == before->sequence + 1) {
		bool less = ns < before->ns;
		uint64_t by = less ? before->ns - ns : ns - before->ns;
		uint64_t *most = less ? &counts->less_max_ns : &counts->more_max_ns;
		(less ? counts->less : counts->more)[hdr_index(by)]++;
		*most = by > *most ? by : *most;
	}
	*before = (struct flow_delay){frame->sequence, true, ns};
}

static inline void take_latency(struct flow_share *share, const struct flow_frame *frame,
								uint64_t now)
{
	struct ws_flow_counts *counts = &share->counts;
	if (frame->sequence & share->latency_mask || !frame->time)
		return;
	uint32_t elapsed = ((uint32_t)(now >> FLOW_FRAME_TIME_SHIFT) | 1) - frame->time;
	uint64_t ns =
		(uint64_t)((double)((uint64_t)elapsed << FLOW_FRAME_TIME_SHIFT) * share->ns_per_tick);
	counts->latency_min_ns =
		!counts->latency_packets || ns < counts->latency_min_ns ? ns : counts->latency_min_ns;
	counts->latency_max_ns = ns > counts->latency_max_ns ? ns : counts->latency_max_ns;
	counts->latency_packets++;
	counts->latency_sum_ns += ns;
	counts->hdr[hdr_index(ns)]++;
	if (!share->latency_mask)
		take_variation(share, frame, ns);
}

/* Frames of this phase and of flows of the set go on; the others are counted for what they are. */
static inline __attribute__((always_inline)) bool belongs(struct flow_share *share,
														  const struct flow_view *view,
														  struct flow_frame *frame, const bool ip6)
{
	if (!flow_frame_look(view, frame, ip6)) {
		count_other(&share->counts, view);
		return false;
	}
	if (!share->phase || flow_frame_generation(frame) != share->generation) {
		share->counts.late++;
		return false;
	}
	uint8_t other = share->responder ? 0 : FLOW_OF_RESPONDER;
	if (frame->flow >= share->table->flows ||
		(flow_frame_sender(frame) ^ other) >= share->senders) {
		share->counts.bad++;
		return false;
	}
	return true;
}

/* True if the frame's number is new. */
static inline __attribute__((always_inline)) bool take_number(struct flow_share *share,
															  const struct flow_frame *frame)
{
	struct sequence *received = &share->received[flow_frame_sender(frame) & ~FLOW_OF_RESPONDER];
	uint32_t missing;
	if (sequence_take_next(received, frame->sequence)) {
		share->counts.received++;
		return true;
	}
	switch (sequence_take(received, frame->sequence, &missing)) {
	case SEQUENCE_DUPLICATE:
		share->counts.duplicates++;
		return false;
	case SEQUENCE_OLD:
		share->counts.unplaced++;
		return false;
	case SEQUENCE_REORDERED:
		share->counts.reordered++;
		break;
	case SEQUENCE_NEW:
		break;
	}
	share->counts.received++;
	return true;
}

/* ---- responder */

static inline __attribute__((always_inline)) void
learn(struct flow_share *share, const struct flow_frame *frame, const bool ip6)
{
	const struct flow_table *table = share->table;
	struct ws_flow_counts *counts = &share->counts;
	uint64_t *entry = flow_entry(table, frame->flow, ip6);
	struct flow_tuple known;
	uint32_t marks = flow_entry_read(entry, &known, ip6);
	if (!flow_table_knows(table, marks)) {
		bool late = share->phase != WS_PHASE_LEARN;
		counts->unlearnt += late;
		counts->flows += !late;
		if (!late)
			flow_entry_write(entry, &frame->tuple, flow_marks(table->generation, 0), ip6);
		return;
	}
	if (share->phase == WS_PHASE_LEARN)
		counts->duplicates++;
	if (__builtin_expect(flow_tuple_equals(&known, &frame->tuple, ip6), 1))
		return;
	counts->remapped++;
	counts->remapped_flows += !(marks & FLOW_REMAPPED);
	flow_entry_write(entry, &frame->tuple, marks | FLOW_REMAPPED, ip6);
}

static inline __attribute__((always_inline)) void
receive_at_responder(struct flow_share *share, const struct flow_view *views, uint16_t n,
					 uint64_t now, const bool ip6)
{
	struct flow_frame frames[FLOW_BURST];
	uint16_t count = 0;
	for (uint16_t i = 0; i < n; i++) {
		struct flow_frame *frame = &frames[count];
		if (!belongs(share, &views[i], frame, ip6))
			continue;
		flow_entry_prefetch(share->table, frame->flow, ip6);
		count += share->phase == WS_PHASE_LEARN || take_number(share, frame);
	}
	for (uint16_t i = 0; i < count; i++) {
		learn(share, &frames[i], ip6);
		take_latency(share, &frames[i], now);
	}
}

/* ---- initiator */

/* Each flow once, and where it should. A reply's marks: its phase, and whether it was right. */
static void validate(struct flow_share *share, const struct flow_frame *frame, bool right)
{
	struct ws_flow_counts *counts = &share->counts;
	uint16_t *reply = &share->table->replies[frame->flow];
	uint16_t marks = __atomic_load_n(reply, __ATOMIC_RELAXED);
	bool came = marks >> 1 == share->generation, was_right = came && marks & 1;
	counts->duplicates += came;
	counts->flows += right && !was_right;
	counts->wrong_flows += !right && !came;
	counts->wrong_flows -= right && came && !was_right;
	marks = (uint16_t)(share->generation << 1 | (right || was_right));
	__atomic_store_n(reply, marks, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void
receive_at_initiator(struct flow_share *share, const struct flow_view *views, uint16_t n,
					 uint64_t now, const bool ip6)
{
	struct flow_frame frames[FLOW_BURST];
	const struct flow_table *table = share->table;
	uint16_t count = 0;
	bool validates = share->phase == WS_PHASE_VALIDATE;
	for (uint16_t i = 0; i < n; i++) {
		struct flow_frame *frame = &frames[count];
		if (!belongs(share, &views[i], frame, ip6))
			continue;
		__builtin_prefetch(&table->sent[frame->flow]);
		if (validates)
			__builtin_prefetch(&table->replies[frame->flow], 1);
		count += validates || take_number(share, frame);
	}
	for (uint16_t i = 0; i < count; i++) {
		struct flow_digits digits = table->sent[frames[i].flow];
		struct flow_tuple sent = flow_tuple_of(share->tuples, digits, ip6);
		struct flow_tuple expected = flow_tuple_back(&sent, ip6);
		bool right = flow_tuple_equals(&expected, &frames[i].tuple, ip6);
		share->counts.wrong += !right;
		if (validates)
			validate(share, &frames[i], right);
		take_latency(share, &frames[i], now);
	}
}

void flow_share_receive(struct flow_share *share, const struct flow_view *views, uint16_t n,
						uint64_t now)
{
	if (share->responder) {
		if (share->table->ip6)
			receive_at_responder(share, views, n, now, true);
		else
			receive_at_responder(share, views, n, now, false);
	} else if (share->table->ip6) {
		receive_at_initiator(share, views, n, now, true);
	} else {
		receive_at_initiator(share, views, n, now, false);
	}
}
