/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a flow set's streams: they select the next flow and its tuple. */
#include "generator/flow_set/flow_burst.h"

#include "dev/error.h"

#include <errno.h>

/* Over TCP, by role, phase and order. */
static enum flow_kind kind_due(const struct flow_share *share, uint32_t order)
{
	if (share->phase != WS_PHASE_LEARN)
		return order == WS_FLOW_ANSWER ? FLOW_DATAGRAM : FLOW_DATA;
	if (order == WS_FLOW_ANSWER)
		return share->responder ? FLOW_SYN_ACK : FLOW_ACK;
	return share->responder ? FLOW_DATAGRAM : FLOW_SYN;
}

/*
 * Neighbours in the tables share cache lines, so a draw is of FLOW_GROUP flows, which are sent one
 * after the other. Phase 1 sends each FLOW_GROUP-th flow in turn: those of a group are as far apart
 * there as any others, and a DUT gains nothing from their order. Groups are drawn a burst ahead,
 * and what is read of their flows is prefetched then.
 */
static uint32_t draw_ahead(struct flow_writing *writing)
{
	uint64_t random = splitmix_draw(&writing->random) >> 32;
	uint64_t groups = (writing->mine + (uint64_t)FLOW_GROUP - 1) / FLOW_GROUP;
	return (uint32_t)(random * groups >> 32) * FLOW_GROUP;
}

static uint32_t size_of_group(const struct flow_writing *writing, uint32_t first)
{
	uint32_t left = writing->mine - first;
	return left < FLOW_GROUP ? left : FLOW_GROUP;
}

/* Always inlined: GCC drops calls of functions that do nothing but prefetch. */
static inline __attribute__((always_inline)) void prefetch_flow(const struct flow_share *share,
																uint32_t flow, const bool ip6)
{
	const struct flow_table *table = share->table;
	if (share->responder)
		flow_entry_prefetch(table, flow, ip6);
	if (table->tcp)
		__builtin_prefetch(&table->bytes[share->responder][flow], 1);
	else if (!share->responder)
		__builtin_prefetch(&table->sent[flow]);
}

/* Number of flows, each `step` from the one before, that a cache line of each table holds. */
static uint8_t flows_of_line(const struct flow_share *share, uint32_t step)
{
	if (step > 1 || (share->responder && share->table->ip6))
		return 1;
	return share->responder ? 4 : 8;
}

static void draw_group(struct flow_writing *writing)
{
	uint32_t *next = &writing->draws[writing->draw++ % FLOW_DRAWS];
	writing->drawn = *next;
	writing->left = size_of_group(writing, *next);
	*next = draw_ahead(writing);
	if (!writing->ahead)
		return;
	uint32_t size = size_of_group(writing, *next);
	for (uint32_t i = 0; i < size; i += writing->ahead)
		prefetch_flow(writing->share, writing->first + writing->step * (*next + i),
					  writing->writer.ip6);
}

int flow_writing_make(struct flow_writing *writing, struct flow_share *share, uint32_t stream,
					  uint32_t order, struct stream_part part, const uint8_t *frame,
					  uint16_t frame_len)
{
	const struct flow_table *table = share->table;
	bool opens = share->phase == WS_PHASE_LEARN;
	bool learnt = share->responder || (table->tcp && !opens);
	uint32_t flows = learnt && order != WS_FLOW_ANSWER ? table->learnt : table->flows;
	if (order > WS_FLOW_ANSWER)
		return fail(-EINVAL, "stream %u: flow order %u does not exist", stream, order);
	if (!share->phase)
		return fail(-EINVAL, "stream %u: no phase of the flow set has begun; start one first",
					stream);
	if (!flows)
		return fail(-EINVAL, "stream %u: the responder has learnt no flows; send phase 1 first",
					stream);
	bool divided = part.of <= flows;
	uint32_t first = divided ? part.number : 0, step = divided ? part.of : 1;
	*writing = (struct flow_writing){
		.share = share,
		.order = order,
		.learnt = learnt,
		.shared = !divided,
		.ahead =
			order == WS_FLOW_RANDOM && !(learnt && table->list) ? flows_of_line(share, step) : 0,
		.first = first,
		.step = step,
		.mine = (flows - first + step - 1) / step,
		.learnt_order = tuple_order_make(flows, share->tuples->seed + 1),
		.random = share->tuples->seed + 2 + (uint64_t)flow_sender_of(share) * 0x9e3779b9u,
	};
	for (int i = 0; i < FLOW_DRAWS; i++)
		writing->draws[i] = draw_ahead(writing);
	int error = flow_writer_make(&writing->writer, stream, frame, frame_len, table->ip6, table->tcp,
								 flow_mark_of(flow_sender_of(share), share->generation));
	if (!error && table->tcp && writing->writer.kind != kind_due(share, order))
		error = fail(-EINVAL, "stream %u: the segments of this phase and order have other flags",
					 stream);
	return error;
}

uint32_t flow_writing_available(const struct flow_writing *writing)
{
	const struct flow_queue *answers = &writing->share->answers;
	return answers->tail - answers->head;
}

static void draw(struct flow_writing *writing, uint32_t *places, uint16_t n)
{
	const uint32_t first = writing->first, step = writing->step;
	while (n) {
		if (!writing->left)
			draw_group(writing);
		const uint32_t from = first + step * writing->drawn;
		uint16_t count = n < writing->left ? n : (uint16_t)writing->left;
		if (count == FLOW_GROUP) /* a loop that the compiler unrolls */
			for (uint32_t i = 0; i < FLOW_GROUP; i++)
				places[i] = from + step * i;
		else
			for (uint32_t i = 0; i < count; i++)
				places[i] = from + step * i;
		places += count;
		writing->drawn += count;
		writing->left -= count;
		n -= count;
	}
}

/* The next one of `count` flows in the order of phase 1. */
static uint32_t step_apart(struct flow_writing *writing, uint32_t count)
{
	uint32_t flow = (uint32_t)writing->next;
	writing->next += FLOW_GROUP;
	if (writing->next >= count) {
		writing->next = writing->next % FLOW_GROUP + 1;
		if (writing->next == FLOW_GROUP || writing->next >= count)
			writing->next = 0;
	}
	return flow;
}

/* The next of `count` places. Frames written beyond the last place are never sent. */
static uint32_t step(struct flow_writing *writing, uint32_t count)
{
	if (writing->next == count)
		writing->next = 0;
	return (uint32_t)writing->next++;
}

/* Choose the next `n` flows, of all or of the learnt ones. */
static void choose(struct flow_writing *writing, uint32_t *places, uint16_t n)
{
	const struct flow_table *table = writing->share->table;
	struct flow_queue *answers = &writing->share->answers;
	bool learnt = writing->learnt;
	if (writing->order == WS_FLOW_ANSWER) {
		for (uint16_t i = 0; i < n; i++)
			places[i] = answers->flows[answers->head++ % FLOW_QUEUE];
		return;
	}
	if (writing->order == WS_FLOW_RANDOM)
		draw(writing, places, n);
	else if (learnt)
		for (uint16_t i = 0; i < n; i++)
			places[i] =
				(uint32_t)tuple_order_at(&writing->learnt_order, step(writing, table->learnt));
	else
		for (uint16_t i = 0; i < n; i++)
			places[i] = step_apart(writing, table->flows);
	if (!learnt || !table->list)
		return;
	for (uint16_t i = 0; i < n; i++)
		__builtin_prefetch(&table->list[places[i]]);
	for (uint16_t i = 0; i < n; i++)
		places[i] = table->list[places[i]];
}

/* Unless that was done when they were drawn. */
static inline __attribute__((always_inline)) void prefetch_flows(const struct flow_writing *writing,
																 const uint32_t *flows, uint16_t n,
																 const bool ip6)
{
	if (!writing->ahead)
		for (uint16_t i = 0; i < n; i++)
			prefetch_flow(writing->share, flows[i], ip6);
}

/* Frame `i` of a burst: written at once over IPv6, by flow_write_burst over IPv4. */
static inline __attribute__((always_inline)) void
write_or_keep(const struct flow_writer *writer, uint8_t *frame, const struct flow_tuple *tuple,
			  uint32_t flow, uint32_t sequence, struct flow_burst *burst, uint16_t i,
			  const bool ip6)
{
	if (ip6)
		return flow_write(writer, frame, tuple, flow, sequence, true);
	burst->addresses[i] = tuple->addresses[0];
	burst->ports[i] = tuple->ports;
}

static inline __attribute__((always_inline)) void write_sent(struct flow_writing *writing,
															 struct flow_burst *burst,
															 uint8_t *const *frames, uint16_t n,
															 const bool ip6)
{
	const struct flow_share *share = writing->share;
	/* Copies: the compiler takes it that a write into a frame may change anything else. */
	const struct flow_writer writer = writing->writer;
	const struct flow_digits *sent = share->table->sent;
	const bool many = flow_tuples_have_many(share->tuples);
	struct flow_tuple tuple = flow_tuple_of(share->tuples, (struct flow_digits){0}, ip6);
	for (uint16_t i = 0; i < n; i++) {
		uint32_t flow = burst->flows[i];
		struct flow_digits digits = sent[flow];
		if (many)
			tuple = flow_tuple_of(share->tuples, digits, ip6);
		tuple.ports = digits.ports;
		write_or_keep(&writer, frames[i], &tuple, flow, burst->sequence + i, burst, i, ip6);
	}
}

static inline __attribute__((always_inline)) void write_learnt(struct flow_writing *writing,
															   struct flow_burst *burst,
															   uint8_t *const *frames, uint16_t n,
															   const bool ip6)
{
	const struct flow_writer writer = writing->writer;
	const struct flow_table *table = writing->share->table;
	for (uint16_t i = 0; i < n; i++) {
		uint32_t flow = burst->flows[i];
		struct flow_tuple learnt;
		flow_entry_read(flow_entry(table, flow, ip6), &learnt, ip6);
		struct flow_tuple tuple = flow_tuple_back(&learnt, ip6);
		write_or_keep(&writer, frames[i], &tuple, flow, burst->sequence + i, burst, i, ip6);
	}
}

static inline __attribute__((always_inline)) void write_datagrams(struct flow_writing *writing,
																  struct flow_burst *burst,
																  uint8_t *const *frames,
																  uint16_t n, const bool ip6)
{
	struct flow_share *share = writing->share;
	burst->sequence = share->sequence;
	prefetch_flows(writing, burst->flows, n, ip6);
	if (share->responder)
		write_learnt(writing, burst, frames, n, ip6);
	else
		write_sent(writing, burst, frames, n, ip6);
	if (!ip6)
		flow_write_burst(&writing->writer, burst, frames, n);
	share->sequence += n;
}

/* ---- TCP */

/* Get the tuple to send `flow` with. Returns the marks, which hold the acknowledged units. */
static inline __attribute__((always_inline)) uint32_t
look_up(const struct flow_share *share, uint32_t flow, struct flow_tuple *tuple, const bool ip6)
{
	const struct flow_table *table = share->table;
	struct flow_tuple learnt;
	if (!share->responder) {
		*tuple = flow_tuple_of(share->tuples, flow_digits_of(share->tuples, flow), ip6);
		return __atomic_load_n(&table->replies[flow], __ATOMIC_RELAXED);
	}
	uint32_t marks = flow_entry_read(flow_entry(table, flow, ip6), &learnt, ip6);
	*tuple = flow_tuple_back(&learnt, ip6);
	return marks;
}

/* Add `length` to the bytes sent; returns their number before. */
static inline uint32_t take_bytes(uint32_t *bytes, uint32_t length, bool shared)
{
	if (shared)
		return __atomic_fetch_add(bytes, length, __ATOMIC_RELAXED);
	uint32_t before = __atomic_load_n(bytes, __ATOMIC_RELAXED);
	__atomic_store_n(bytes, before + length, __ATOMIC_RELAXED);
	return before;
}

static inline __attribute__((always_inline)) void write_segments(struct flow_writing *writing,
																 const uint32_t *flows,
																 uint8_t *const *frames, uint16_t n,
																 const bool ip6)
{
	struct flow_share *share = writing->share;
	const struct flow_writer *writer = &writing->writer;
	uint32_t *bytes = share->table->bytes[share->responder];
	bool has_data = writer->kind == FLOW_DATA;
	prefetch_flows(writing, flows, n, ip6);
	for (uint16_t i = 0; i < n; i++) {
		struct flow_tuple tuple;
		uint32_t flow = flows[i], marks = look_up(share, flow, &tuple, ip6);
		uint32_t seq = flow_first_number(share->table, flow, share->responder);
		uint32_t ack = flow_first_number(share->table, flow, !share->responder) + 1;
		if (writer->kind == FLOW_SYN)
			ack = 0;
		if (writer->kind == FLOW_ACK)
			seq++;
		if (has_data) {
			seq += 1 + take_bytes(&bytes[flow], writer->length, writing->shared);
			ack += (marks & FLOW_ACKED_MASK) >> FLOW_ACKED_SHIFT << FLOW_ACK_SHIFT;
		}
		flow_segment_write(writer, frames[i], &tuple, seq, ack, flow, share->sequence, ip6);
		share->sequence += has_data;
	}
}

static inline __attribute__((always_inline)) void
fill(struct flow_writing *writing, uint8_t *const *frames, uint16_t n, const bool ip6)
{
	struct flow_burst burst;
	choose(writing, burst.flows, n);
	if (writing->writer.kind == FLOW_DATAGRAM)
		write_datagrams(writing, &burst, frames, n, ip6);
	else
		write_segments(writing, burst.flows, frames, n, ip6);
}

void flow_writing_fill(struct flow_writing *writing, uint8_t *const *frames, uint16_t n)
{
	if (writing->writer.ip6)
		fill(writing, frames, n, true);
	else
		fill(writing, frames, n, false);
}
