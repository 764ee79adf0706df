/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_table.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Entries are accessed at random: with large pages an access costs one miss instead of three. */
enum { LARGE_PAGE = 2 << 20, CHUNK = 64 };
/* Initial sequence numbers of a generation, at least: those of the next ones differ. */
enum { LEAST_NUMBERS = 1 << 16 };

static size_t entry_bytes(bool ip6)
{
	return (ip6 ? 5 : 2) * sizeof(uint64_t);
}

/* Number of hash slots: at most two thirds are used. */
static uint64_t slot_count(uint32_t flows)
{
	return flows + flows / 2 + 1ULL;
}

uint64_t flow_table_bytes(bool ip6, uint32_t flows)
{
	_Static_assert(sizeof(struct flow_digits) == 2 * sizeof(uint32_t), "as much over TCP");
	return flows * (uint64_t)(entry_bytes(ip6) + sizeof(uint16_t) + sizeof(struct flow_digits)) +
		   slot_count(flows) * sizeof(uint32_t);
}

/* Zeroed, so that no worker waits for page faults. */
static void *large_memory(size_t bytes)
{
	void *memory = NULL;
	bool is_large = bytes >= LARGE_PAGE;
	if (posix_memalign(&memory, is_large ? LARGE_PAGE : 64, bytes))
		return NULL;
	if (is_large)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memset(memory, 0, bytes);
}

struct flow_table *flow_table_create(const struct flow_tuples *tuples, uint32_t flows)
{
	struct flow_table *table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	bool tcp = tuples->tcp;
	*table = (struct flow_table){
		.ip6 = tuples->ip6,
		.tcp = tcp,
		.number_bits = (uint8_t)(flows <= LEAST_NUMBERS ? __builtin_ctz(LEAST_NUMBERS)
														: 32 - __builtin_clz(flows - 1)),
		.flows = flows,
		.entries = large_memory(flows * entry_bytes(tuples->ip6)),
		.replies = large_memory(flows * sizeof(uint16_t)),
		.sent = tcp ? NULL : large_memory(flows * sizeof(struct flow_digits)),
		.bytes = {tcp ? large_memory(flows * sizeof(uint32_t)) : NULL,
				  tcp ? large_memory(flows * sizeof(uint32_t)) : NULL},
		.slots = large_memory(slot_count(flows) * sizeof(uint32_t)),
	};
	if (!table->entries || !table->replies || !table->slots ||
		!(tcp ? table->bytes[0] && table->bytes[1] : table->sent != NULL)) {
		flow_table_free(table);
		return NULL;
	}
	for (uint32_t flow = 0; !tcp && flow < flows; flow++)
		table->sent[flow] = flow_digits_of(tuples, flow);
	return table;
}

void flow_table_free(struct flow_table *table)
{
	if (!table)
		return;
	free(table->entries);
	free(table->replies);
	free(table->sent);
	free(table->bytes[0]);
	free(table->bytes[1]);
	free(table->slots);
	free(table);
}

void flow_table_clear_entries(struct flow_table *table)
{
	memset(table->entries, 0, table->flows * entry_bytes(table->ip6));
}

void flow_table_clear_replies(struct flow_table *table)
{
	memset(table->replies, 0, table->flows * sizeof(uint16_t));
}

void flow_table_expect_replies(struct flow_table *table)
{
	for (uint32_t flow = 0; flow < table->flows; flow++)
		table->replies[flow] &= FLOW_ACKED_MASK;
}

void flow_table_begin(struct flow_table *table, uint16_t generation)
{
	if (table->tcp) {
		flow_table_clear_replies(table);
		for (int role = 0; role < 2; role++)
			memset(table->bytes[role], 0, table->flows * sizeof(uint32_t));
	}
	table->list = NULL;
	table->learnt = 0;
	table->generation = generation;
	table->told = (struct ws_flow_learnt){0};
}

/* ---- after the last flow has been learnt */

static uint64_t hash_of(const struct flow_tuple *tuple, bool ip6)
{
	uint64_t hash = tuple->ports;
	for (int i = 0; i < (ip6 ? 4 : 1); i++) {
		hash = (hash ^ tuple->addresses[i]) * 0xbf58476d1ce4e5b9u;
		hash ^= hash >> 32;
	}
	return hash * 0x94d049bb133111ebu;
}

/*
 * A slot has the number of a flow plus 1; 0: empty. Bits that the flow does not need hold bits of
 * the hash, so that few tuples of other flows are read: each read misses the cache.
 */
struct tuple_set {
	uint32_t *slots;
	uint64_t count;
	uint32_t flow_mask;
};

static struct tuple_set empty_set(const struct flow_table *table)
{
	uint64_t count = slot_count(table->flows);
	memset(table->slots, 0, count * sizeof(uint32_t));
	return (struct tuple_set){table->slots, count, UINT32_MAX >> __builtin_clz(table->flows)};
}

static uint64_t slot_of(const struct tuple_set *set, uint64_t hash)
{
	return (hash >> 32) * set->count >> 32;
}

/* True if no earlier flow has that tuple. */
static bool add_tuple(const struct flow_table *table, struct tuple_set *set, uint64_t hash,
					  uint32_t flow, const struct flow_tuple *tuple)
{
	uint32_t value = ((uint32_t)hash & ~set->flow_mask) | (flow + 1);
	uint64_t slot = slot_of(set, hash);
	for (; set->slots[slot]; slot = slot + 1 == set->count ? 0 : slot + 1) {
		struct flow_tuple other;
		uint32_t found = set->slots[slot];
		if ((found ^ value) & ~set->flow_mask)
			continue;
		flow_entry_read(flow_entry(table, (found & set->flow_mask) - 1, table->ip6), &other,
						table->ip6);
		if (flow_tuple_equals(tuple, &other, table->ip6))
			return false;
	}
	set->slots[slot] = value;
	return true;
}

static void compare_with_sent(struct flow_table *table, const struct flow_tuples *tuples,
							  const uint32_t *flows, const struct flow_tuple *learnt, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		struct flow_tuple sent =
			flow_tuple_of(tuples, flow_table_digits(table, tuples, flows[i]), table->ip6);
		table->told.same_source += flow_tuple_same_source(&sent, &learnt[i], table->ip6);
		table->told.changed_destination +=
			!flow_tuple_same_destination(&sent, &learnt[i], table->ip6);
	}
}

/* The learnt flows (`to_send`: those to send over) among CHUNK flows from `first` on. Returns their
 * number. */
static uint16_t take_learnt(const struct flow_table *table, uint32_t first, bool to_send,
							uint32_t *flows, struct flow_tuple *learnt)
{
	uint16_t n = 0;
	for (uint32_t flow = first; flow < table->flows && flow - first < CHUNK; flow++) {
		uint32_t marks =
			flow_entry_read(flow_entry(table, flow, table->ip6), &learnt[n], table->ip6);
		flows[n] = flow;
		n += to_send ? flow_table_has(table, marks) : flow_table_knows(table, marks);
	}
	return n;
}

static uint64_t count_to_send(const struct flow_table *table)
{
	struct flow_tuple learnt[CHUNK];
	uint32_t flows[CHUNK];
	uint64_t count = 0;
	for (uint64_t first = 0; first < table->flows; first += CHUNK)
		count += take_learnt(table, (uint32_t)first, true, flows, learnt);
	return count;
}

/* The list replaces the hash slots, which are not needed any more. */
static void list_learnt(struct flow_table *table)
{
	struct flow_tuple learnt[CHUNK];
	uint32_t flows[CHUNK], at = 0;
	if (table->learnt == table->flows)
		return;
	for (uint64_t first = 0; first < table->flows; first += CHUNK) {
		uint16_t n = take_learnt(table, (uint32_t)first, true, flows, learnt);
		memcpy(table->slots + at, flows, n * sizeof(*flows));
		at += n;
	}
	table->list = table->slots;
}

void flow_table_settle(struct flow_table *table, const struct flow_tuples *tuples)
{
	struct flow_tuple learnt[CHUNK];
	uint32_t flows[CHUNK];
	uint64_t hashes[CHUNK];
	struct tuple_set set = empty_set(table);
	table->told = (struct ws_flow_learnt){0};
	for (uint64_t first = 0; first < table->flows; first += CHUNK) {
		uint16_t n = take_learnt(table, (uint32_t)first, false, flows, learnt);
		for (uint16_t i = 0; i < n; i++) {
			hashes[i] = hash_of(&learnt[i], table->ip6);
			__builtin_prefetch(&set.slots[slot_of(&set, hashes[i])], 1);
		}
		compare_with_sent(table, tuples, flows, learnt, n);
		for (uint16_t i = 0; i < n; i++)
			table->told.distinct += add_tuple(table, &set, hashes[i], flows[i], &learnt[i]);
	}
	table->told.flows = count_to_send(table);
	table->learnt = (uint32_t)table->told.flows;
	list_learnt(table);
}
