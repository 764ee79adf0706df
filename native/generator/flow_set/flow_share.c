/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receive side of a share: it counts the frames of a burst. All frames are read first, so that
 * the table entries of their flows are prefetched before the first one is needed.
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
	share->answers.head = share->answers.tail = 0;
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

static void take_latencies(struct flow_share *share, const struct flow_frame *frames, uint16_t n,
						   uint64_t now)
{
	if (share->latency_mask != UINT32_MAX)
		for (uint16_t i = 0; i < n; i++)
			take_latency(share, &frames[i], now);
}

/* `belongs` for a segment of a handshake. */
static bool belongs_to_handshake(struct flow_share *share, struct flow_frame *frame)
{
	bool late, is_back = frame->kind == FLOW_SYN_ACK;
	if (share->phase != WS_PHASE_LEARN) {
		share->counts.late++;
		return false;
	}
	bool right = flow_segment_place(share->table, frame, &late) && is_back != share->responder;
	share->counts.late += late;
	share->counts.bad += !late && !right;
	return !late && right;
}

static inline bool is_of_phase(const struct flow_share *share, const struct flow_frame *frame)
{
	return share->phase && flow_frame_generation(frame) == share->generation;
}

static inline bool has_sender(const struct flow_share *share, const struct flow_frame *frame)
{
	uint8_t other = share->responder ? 0 : FLOW_OF_RESPONDER;
	return (flow_frame_sender(frame) ^ other) < share->senders;
}

/* True for a frame of this phase and of a flow of the set. Other frames are counted by their type.
 */
static inline __attribute__((always_inline)) bool belongs(struct flow_share *share,
														  const struct flow_view *view,
														  struct flow_frame *frame, const bool ip6,
														  const bool tcp)
{
	if (!(tcp ? flow_segment_read(view, ip6, frame) : flow_frame_look(view, frame, ip6))) {
		count_other(&share->counts, view);
		return false;
	}
	if (tcp && frame->kind != FLOW_DATA)
		return belongs_to_handshake(share, frame);
	if (!is_of_phase(share, frame)) {
		share->counts.late++;
		return false;
	}
	if (frame->flow >= share->table->flows || !has_sender(share, frame) ||
		(tcp && share->phase == WS_PHASE_LEARN)) {
		share->counts.bad++;
		return false;
	}
	return true;
}

/* Count the number of a frame; false for a duplicate or a frame too late to tell. */
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

/* Count the numbers of frames, at once if each is one more than the one before. Frames that
 * take_number refuses are removed; returns the number of those left. */
static inline __attribute__((always_inline)) uint16_t
take_numbers(struct flow_share *share, struct flow_frame *frames, uint16_t n)
{
	struct sequence *received = &share->received[flow_frame_sender(frames) & ~FLOW_OF_RESPONDER];
	uint32_t mark = frames->mark, first = frames->sequence;
	bool in_order = true;
	uint16_t count = 0;
	for (uint16_t i = 1; i < n; i++)
		in_order &= frames[i].mark == mark && frames[i].sequence == first + i;
	if (in_order && sequence_take_run(received, first, n)) {
		share->counts.received += n;
		return n;
	}
	for (uint16_t i = 0; i < n; i++)
		if (take_number(share, &frames[i]))
			frames[count++] = frames[i];
	return count;
}

static inline __attribute__((always_inline)) void prefetch_state(const struct flow_share *share,
																 uint32_t flow, const bool replies,
																 const bool ip6, const bool tcp)
{
	const struct flow_table *table = share->table;
	if (share->responder)
		flow_entry_prefetch(table, flow, ip6);
	else if (!tcp)
		__builtin_prefetch(&table->sent[flow]);
	if (!share->responder && replies)
		__builtin_prefetch(&table->replies[flow], 1);
}

/* Read a burst of datagrams; true if all belong and have one sender, which is the usual case: then
 * most of what `belongs` checks is checked once. */
static inline __attribute__((always_inline)) bool read_usual(const struct flow_share *share,
															 const struct flow_view *views,
															 struct flow_frame *frames, uint16_t n,
															 const bool replies, const bool ip6)
{
	uint32_t differ = 0, highest = 0;
	if (!n)
		return false;
	for (uint16_t i = 0; i < n; i++) {
		if (__builtin_expect(!flow_frame_look(&views[i], &frames[i], ip6), 0))
			return false;
		prefetch_state(share, frames[i].flow, replies, ip6, false);
		differ |= frames[i].mark ^ frames->mark;
		highest = frames[i].flow > highest ? frames[i].flow : highest;
	}
	return !differ && highest < share->table->flows && is_of_phase(share, frames) &&
		   has_sender(share, frames);
}

/* Read a burst and prefetch the state of its flows. Frames that do not belong, and with `numbered`
 * those that take_number refuses, are counted and left out. Returns the number of those left. */
static inline __attribute__((always_inline)) uint16_t
take(struct flow_share *share, const struct flow_view *views, struct flow_frame *frames, uint16_t n,
	 const bool numbered, const bool ip6, const bool tcp)
{
	const bool replies = !numbered || tcp;
	uint16_t count = 0;
	if (!tcp && read_usual(share, views, frames, n, replies, ip6))
		count = n;
	else
		for (uint16_t i = 0; i < n; i++) {
			if (!belongs(share, &views[i], &frames[count], ip6, tcp))
				continue;
			prefetch_state(share, frames[count].flow, replies, ip6, tcp);
			count++;
		}
	return numbered && count ? take_numbers(share, frames, count) : count;
}

/* Queue the answer for a flow. If the queue is full there is no answer: a limit of the tester. */
static void answer(struct flow_share *share, uint32_t flow)
{
	struct flow_queue *answers = &share->answers;
	share->counts.to_answer++;
	if (answers->tail - answers->head < FLOW_QUEUE)
		answers->flows[answers->tail++ % FLOW_QUEUE] = flow;
}

/* The marks with the acknowledged units advanced, if the received data reaches further. */
static inline uint32_t acknowledge(const struct flow_table *table, const struct flow_frame *frame,
								   bool responder, uint32_t marks)
{
	uint32_t first = flow_first_number(table, frame->flow, !responder) + 1;
	uint8_t units = (uint8_t)((frame->seq - first + frame->length) >> FLOW_ACK_SHIFT);
	uint8_t before = (uint8_t)(marks >> FLOW_ACKED_SHIFT);
	if ((int8_t)(units - before) <= 0)
		return marks;
	return (marks & ~(uint32_t)FLOW_ACKED_MASK) | (uint32_t)units << FLOW_ACKED_SHIFT;
}

/* ---- responder */

/* The tuple of the flow has changed. In LEARN the flow no longer counts as confirmed. */
static void remap(struct flow_share *share, uint64_t *entry, const struct flow_frame *frame,
				  uint32_t marks, bool ip6)
{
	struct ws_flow_counts *counts = &share->counts;
	bool is_first = !(marks & FLOW_REMAPPED);
	counts->remapped++;
	counts->remapped_flows += is_first;
	counts->confirmed -= share->phase == WS_PHASE_LEARN && is_first && marks & FLOW_CONFIRMED;
	flow_entry_write(entry, &frame->tuple, marks | FLOW_REMAPPED, ip6);
}

static inline __attribute__((always_inline)) void
learn(struct flow_share *share, const struct flow_frame *frame, const bool ip6, const bool tcp)
{
	const struct flow_table *table = share->table;
	struct ws_flow_counts *counts = &share->counts;
	uint64_t *entry = flow_entry(table, frame->flow, ip6);
	struct flow_tuple known;
	uint32_t marks = flow_entry_read(entry, &known, ip6);
	bool late = share->phase != WS_PHASE_LEARN;
	if (!(tcp && late ? flow_table_has(table, marks) : flow_table_knows(table, marks))) {
		counts->unlearnt += late;
		counts->flows += !late;
		if (!late)
			flow_entry_write(entry, &frame->tuple, flow_marks(table->generation, 0), ip6);
		if (tcp && !late)
			answer(share, frame->flow);
		return;
	}
	if (!late)
		counts->duplicates++;
	uint32_t now = tcp && late ? acknowledge(table, frame, true, marks) : marks;
	if (__builtin_expect(!flow_tuple_equals(&known, &frame->tuple, ip6), 0))
		remap(share, entry, frame, now, ip6);
	else if (tcp && now != marks)
		flow_entry_write(entry, &frame->tuple, now, ip6);
}

/* Count the ACK of a handshake. */
static void confirm(struct flow_share *share, const struct flow_frame *frame, bool ip6)
{
	const struct flow_table *table = share->table;
	struct ws_flow_counts *counts = &share->counts;
	uint64_t *entry = flow_entry(table, frame->flow, ip6);
	struct flow_tuple known;
	uint32_t marks = flow_entry_read(entry, &known, ip6), now = marks | FLOW_CONFIRMED;
	if (!flow_table_knows(table, marks)) {
		counts->unlearnt++;
		return;
	}
	bool again = marks & FLOW_CONFIRMED;
	counts->duplicates += again;
	counts->confirmed += !again && !(marks & FLOW_REMAPPED);
	if (!flow_tuple_equals(&known, &frame->tuple, ip6))
		remap(share, entry, frame, now, ip6);
	else if (!again)
		flow_entry_write(entry, &known, now, ip6);
}

static inline __attribute__((always_inline)) void
receive_at_responder(struct flow_share *share, const struct flow_view *views, uint16_t n,
					 uint64_t now, const bool ip6, const bool tcp)
{
	struct flow_frame frames[FLOW_BURST];
	uint16_t count = take(share, views, frames, n, share->phase != WS_PHASE_LEARN, ip6, tcp);
	for (uint16_t i = 0; i < count; i++)
		if (tcp && frames[i].kind == FLOW_ACK)
			confirm(share, &frames[i], ip6);
		else
			learn(share, &frames[i], ip6, tcp);
	take_latencies(share, frames, count, now);
}

/* ---- initiator */

static bool count_reply(struct ws_flow_counts *counts, bool right, bool came, bool was_right)
{
	counts->duplicates += came;
	counts->flows += right && !was_right;
	counts->wrong_flows += !right && !came;
	counts->wrong_flows -= right && came && !was_right;
	return right || was_right;
}

/* Count a reply over UDP. Its marks: the generation of its phase, and a bit for the right place. */
static void validate(struct flow_share *share, const struct flow_frame *frame, bool right)
{
	uint16_t *reply = &share->table->replies[frame->flow];
	uint16_t marks = __atomic_load_n(reply, __ATOMIC_RELAXED);
	bool came = marks >> 1 == share->generation, was_right = came && marks & 1;
	bool is_right = count_reply(&share->counts, right, came, was_right);
	__atomic_store_n(reply, (uint16_t)(share->generation << 1 | is_right), __ATOMIC_RELAXED);
}

/* Count a reply over TCP: data advances the acknowledged units, a SYN-ACK is answered. */
static void take_reply(struct flow_share *share, const struct flow_frame *frame, bool right)
{
	uint16_t *reply = &share->table->replies[frame->flow];
	uint32_t marks = __atomic_load_n(reply, __ATOMIC_RELAXED), now = marks;
	bool was_right = marks & FLOW_CAME_RIGHT;
	if (share->phase != WS_PHASE_EXCHANGE) {
		count_reply(&share->counts, right, marks & FLOW_CAME, was_right);
		now |= FLOW_CAME | (right ? FLOW_CAME_RIGHT : 0);
	}
	if (frame->kind == FLOW_DATA)
		now = acknowledge(share->table, frame, false, now);
	else if (right && !was_right)
		answer(share, frame->flow);
	if (now != marks)
		__atomic_store_n(reply, (uint16_t)now, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void
receive_at_initiator(struct flow_share *share, const struct flow_view *views, uint16_t n,
					 uint64_t now, const bool ip6, const bool tcp)
{
	struct flow_frame frames[FLOW_BURST];
	const struct flow_table *table = share->table;
	const bool validates =
		share->phase == WS_PHASE_VALIDATE || (tcp && share->phase == WS_PHASE_LEARN);
	uint16_t count = take(share, views, frames, n, !validates, ip6, tcp);
	const bool many = flow_tuples_have_many(share->tuples);
	struct flow_tuple sent = flow_tuple_of(share->tuples, (struct flow_digits){0}, ip6);
	for (uint16_t i = 0; i < count; i++) {
		uint32_t flow = frames[i].flow;
		struct flow_digits digits = tcp ? flow_digits_of(share->tuples, flow) : table->sent[flow];
		if (many)
			sent = flow_tuple_of(share->tuples, digits, ip6);
		sent.ports = digits.ports;
		struct flow_tuple expected = flow_tuple_back(&sent, ip6);
		bool right = flow_tuple_equals(&expected, &frames[i].tuple, ip6);
		share->counts.wrong += !right;
		if (tcp)
			take_reply(share, &frames[i], right);
		else if (validates)
			validate(share, &frames[i], right);
	}
	take_latencies(share, frames, count, now);
}

void flow_share_receive(struct flow_share *share, const struct flow_view *views, uint16_t n,
						uint64_t now)
{
	switch (share->responder << 2 | share->table->tcp << 1 | share->table->ip6) {
	case 0:
		receive_at_initiator(share, views, n, now, false, false);
		return;
	case 1:
		receive_at_initiator(share, views, n, now, true, false);
		return;
	case 2:
		receive_at_initiator(share, views, n, now, false, true);
		return;
	case 3:
		receive_at_initiator(share, views, n, now, true, true);
		return;
	case 4:
		receive_at_responder(share, views, n, now, false, false);
		return;
	case 5:
		receive_at_responder(share, views, n, now, true, false);
		return;
	case 6:
		receive_at_responder(share, views, n, now, false, true);
		return;
	default:
		receive_at_responder(share, views, n, now, true, true);
	}
}
