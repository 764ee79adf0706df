/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a flow set's streams: which flow is next, and with which tuple it goes. */
#include "generator/flow_set/flow_share.h"

#include "dev/error.h"

#include <errno.h>

int flow_writing_make(struct flow_writing *writing, struct flow_share *share, uint32_t stream,
					  uint32_t order, struct stream_part part, const uint8_t *frame,
					  uint16_t frame_len)
{
	const struct flow_table *table = share->table;
	uint32_t flows = share->responder ? table->learnt : table->flows;
	if (order > WS_FLOW_RANDOM)
		return fail(-EINVAL, "stream %u: there is no order %u of flows", stream, order);
	if (!share->phase)
		return fail(-EINVAL, "stream %u: no phase of the flow set has begun", stream);
	if (!flows)
		return fail(-EINVAL, "stream %u: the responder has learnt no flows to send over", stream);
	bool divided = part.of <= flows;
	*writing = (struct flow_writing){
		.share = share,
		.order = order,
		.first = divided ? part.number : 0,
		.step = divided ? part.of : 1,
		.learnt_order = tuple_order_make(flows, share->tuples->seed + 1),
		.random = share->tuples->seed + 2 + (uint64_t)flow_sender_of(share) * 0x9e3779b9u,
	};
	return flow_writer_make(&writing->writer, stream, frame, frame_len, table->ip6,
							flow_mark_of(flow_sender_of(share), share->generation));
}

/* Of `count` places, those that this worker has. */
static uint32_t draw(struct flow_writing *writing, uint32_t count)
{
	uint32_t mine = (count - writing->first + writing->step - 1) / writing->step;
	uint64_t random = splitmix_draw(&writing->random) >> 32;
	return writing->first + writing->step * (uint32_t)(random * mine >> 32);
}

/* The next place of `count`; what is written ahead of the last one is never sent. */
static uint32_t step(struct flow_writing *writing, uint32_t count)
{
	if (writing->next == count)
		writing->next = 0;
	return (uint32_t)writing->next++;
}

static void choose_to_open(struct flow_writing *writing, uint32_t *flows, uint16_t n)
{
	uint32_t count = writing->share->table->flows;
	for (uint16_t i = 0; i < n; i++)
		flows[i] = writing->order == WS_FLOW_EACH ? step(writing, count) : draw(writing, count);
}

static void choose_learnt(struct flow_writing *writing, uint32_t *flows, uint16_t n)
{
	const struct flow_table *table = writing->share->table;
	for (uint16_t i = 0; i < n; i++)
		flows[i] =
			writing->order == WS_FLOW_EACH
				? (uint32_t)tuple_order_at(&writing->learnt_order, step(writing, table->learnt))
				: draw(writing, table->learnt);
	if (!table->list)
		return;
	for (uint16_t i = 0; i < n; i++)
		__builtin_prefetch(&table->list[flows[i]]);
	for (uint16_t i = 0; i < n; i++)
		flows[i] = table->list[flows[i]];
}

static inline __attribute__((always_inline)) void read_learnt(const struct flow_table *table,
															  const uint32_t *flows, uint16_t n,
															  struct flow_tuple *out,
															  const bool ip6)
{
	for (uint16_t i = 0; i < n; i++)
		flow_entry_prefetch(table, flows[i], ip6);
	for (uint16_t i = 0; i < n; i++) {
		struct flow_tuple tuple;
		flow_entry_read(flow_entry(table, flows[i], ip6), &tuple, ip6);
		out[i] = flow_tuple_back(&tuple, ip6);
	}
}

static inline __attribute__((always_inline)) void
fill(struct flow_writing *writing, uint8_t *const *frames, uint16_t n, const bool ip6)
{
	struct flow_share *share = writing->share;
	struct flow_tuple tuples[FLOW_BURST];
	uint32_t flows[FLOW_BURST];
	if (share->responder) {
		choose_learnt(writing, flows, n);
		read_learnt(share->table, flows, n, tuples, ip6);
	} else {
		choose_to_open(writing, flows, n);
		flow_tuples_of(share->tuples, flows, n, tuples);
	}
	for (uint16_t i = 0; i < n; i++)
		flow_write(&writing->writer, frames[i], &tuples[i], flows[i], share->sequence++, ip6);
}

void flow_writing_fill(struct flow_writing *writing, uint8_t *const *frames, uint16_t n)
{
	if (writing->writer.ip6)
		fill(writing, frames, n, true);
	else
		fill(writing, frames, n, false);
}
