/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of each flow of a set, by its number: the tuple that was learnt, the outcome of its
 * replies, and the tuple that was sent. 32 bytes per flow for IPv4, 56 for IPv6. Over TCP the sent
 * tuple is computed when needed; its place has the number of bytes sent.
 *
 * Over UDP nothing is cleared between trials, since entries are valid for one generation only. The
 * worker that receives a flow writes its words, and sending workers read them.
 */
#pragma once

#include "generator/flow_set/flow_tuples.h"

#include <stddef.h>

struct flow_table {
	bool ip6, tcp;
	uint8_t number_bits; /* bits of an initial sequence number that hold the flow */
	uint32_t flows;
	uint64_t *entries;        /* addresses; then ports, and the marks in the upper half */
	uint16_t *replies;        /* marks */
	struct flow_digits *sent; /* by flow; NULL over TCP */
	uint32_t *bytes[2];       /* TCP: data bytes sent by the initiator and by the responder */
	uint32_t *slots;          /* flows by the hash of their tuples, during the comparison */
	const uint32_t *list;     /* in `slots`: the flows to send over; NULL: all */
	uint32_t learnt;          /* number of flows to send over */
	uint16_t generation;      /* of LEARN; 0: nothing was learnt */
	struct ws_flow_learnt told;
};

/* Generations have 15 bits. The marks of an entry: the generation in the upper half, and these. */
enum {
	FLOW_GENERATIONS = 32767,
	FLOW_REMAPPED = 1,  /* the flow had another tuple before */
	FLOW_CONFIRMED = 2, /* the ACK arrived */
};
/* Marks of a reply over TCP, in this phase. */
enum { FLOW_CAME = 1, FLOW_CAME_RIGHT = 2 };
/* Over TCP, bits 8 to 15 of both marks are the acknowledged units. */
enum { FLOW_ACKED_SHIFT = 8, FLOW_ACKED_MASK = 0xff00 };

static inline uint16_t flow_marks_generation(uint32_t marks)
{
	return (uint16_t)(marks >> 16);
}

static inline uint32_t flow_marks(uint16_t generation, uint32_t flags)
{
	return (uint32_t)generation << 16 | flags;
}

uint64_t flow_table_bytes(bool ip6, uint32_t flows);
/* NULL: out of memory. */
struct flow_table *flow_table_create(const struct flow_tuples *tuples, uint32_t flows);
void flow_table_free(struct flow_table *table);
/* Forget all entries, or all replies, of all generations. */
void flow_table_clear_entries(struct flow_table *table);
void flow_table_clear_replies(struct flow_table *table);
/* TCP: forget the replies of the phase before, but keep the acknowledged units. */
void flow_table_expect_replies(struct flow_table *table);
/* Flows learnt from now on belong to this generation. */
void flow_table_begin(struct flow_table *table, uint16_t generation);
/* At the end of LEARN: compare and list the learnt tuples. No worker may write. */
void flow_table_settle(struct flow_table *table, const struct flow_tuples *tuples);

static inline uint64_t *flow_entry(const struct flow_table *table, uint32_t flow, const bool ip6)
{
	return table->entries + (size_t)flow * (ip6 ? 5 : 2);
}

/* Always inlined: GCC drops calls of functions that do nothing but prefetch. */
static inline __attribute__((always_inline)) void
flow_entry_prefetch(const struct flow_table *table, uint32_t flow, const bool ip6)
{
	const uint64_t *entry = flow_entry(table, flow, ip6);
	__builtin_prefetch(entry, 1);
	if (ip6)
		__builtin_prefetch(entry + 4, 1);
}

/* Returns the marks. */
static inline uint32_t flow_entry_read(const uint64_t *entry, struct flow_tuple *out,
									   const bool ip6)
{
	uint64_t last = __atomic_load_n(&entry[ip6 ? 4 : 1], __ATOMIC_RELAXED);
	for (int i = 0; i < (ip6 ? 4 : 1); i++)
		out->addresses[i] = __atomic_load_n(&entry[i], __ATOMIC_RELAXED);
	out->ports = (uint32_t)last;
	return (uint32_t)(last >> 32);
}

static inline void flow_entry_write(uint64_t *entry, const struct flow_tuple *tuple, uint32_t marks,
									const bool ip6)
{
	for (int i = 0; i < (ip6 ? 4 : 1); i++)
		__atomic_store_n(&entry[i], tuple->addresses[i], __ATOMIC_RELAXED);
	__atomic_store_n(&entry[ip6 ? 4 : 1], tuple->ports | (uint64_t)marks << 32, __ATOMIC_RELAXED);
}

static inline bool flow_table_knows(const struct flow_table *table, uint32_t marks)
{
	return table->generation && flow_marks_generation(marks) == table->generation;
}

/* True if frames can be sent over the flow. */
static inline bool flow_table_has(const struct flow_table *table, uint32_t marks)
{
	return flow_table_knows(table, marks) && (!table->tcp || marks & FLOW_CONFIRMED);
}

static inline struct flow_digits flow_table_digits(const struct flow_table *table,
												   const struct flow_tuples *tuples, uint32_t flow)
{
	return table->sent ? table->sent[flow] : flow_digits_of(tuples, flow);
}
