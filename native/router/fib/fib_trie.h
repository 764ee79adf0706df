/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routes of a table: prefix to a value (a load balance), 0 without a match. An IPv4 address is
 * stored as the first 32 bits of an address here.
 *
 * The main thread keeps the prefixes in a separate tree (prefix_tree.h). Workers look up in a trie
 * (docs/develop/decisions/0006): a table of the first 24 bits, then groups of 256 entries for eight
 * bits each. An entry holds the value and length of the longest prefix that covers it, or the
 * number of the node below it. That is a list of IPv6 prefixes if there are few and they end within
 * 32 bits (prefix_list.h), otherwise a group. A group exists while some prefix ends inside it or
 * deeper. A change becomes visible to readers in one store, and removed nodes are reused only after
 * a grace period.
 */
#pragma once

#include "graph/lanes.h"
#include "router/fib/node_pool.h"
#include "router/fib/prefix_list.h"
#include "router/fib/prefix_tree.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct ws_address;
struct ws_prefix;

enum {
	FIB_TRIE_ROOT_BITS = 24,
	FIB_TRIE_GROUP_SIZE = 256,
	FIB_TRIE_MAX_LOOKUP = 256,
};
#define FIB_TRIE_VALUE_MASK ((1u << PREFIX_VALUE_BITS) - 1)
/* In the highest two bits of entries that lead deeper; no length has both bits set. */
enum { FIB_TRIE_GROUP = 2, FIB_TRIE_LIST = 3 };
/* The other bits are the distance from `nodes`, in units of this many bytes. */
enum { FIB_TRIE_KIND_SHIFT = 30, FIB_TRIE_NODE_UNIT = sizeof(struct prefix_list) };

struct fib_trie {
	uint32_t *root;
	uint8_t *nodes;         /* lists, followed by groups */
	uint32_t default_value; /* value of length 0, not written into the root's 2^24 entries */

	/* Main thread: each change of a route writes them, so they are not in the cache lines above. */
	struct node_pool groups
		__attribute__((aligned(64))); /* links: number of prefixes that end in or below the group */
	struct node_pool lists; /* links: number of prefixes in the list; there are none for IPv4 */
	size_t node_bytes;
	struct prefix_tree prefixes;
	uint32_t count, max;
};

int fib_trie_init(struct fib_trie *fib, uint8_t family, uint32_t max_routes);
void fib_trie_close(struct fib_trie *fib);

/* Prefixes must not have host bits. */
int fib_trie_set(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t value);
/* The prefix must exist. */
void fib_trie_remove(struct fib_trie *fib, const struct ws_prefix *prefix);
bool fib_trie_get(const struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t *value);
/* The longest match. */
bool fib_trie_match(const struct fib_trie *fib, const struct ws_address *address,
					struct ws_prefix *prefix, uint32_t *value);
/* Walk the prefixes in order of (address, length), see prefix_tree.h. */
void fib_trie_seek(const struct fib_trie *fib, struct prefix_cursor *cursor,
				   const struct ws_prefix *after);
bool fib_trie_next_prefix(const struct fib_trie *fib, struct prefix_cursor *cursor,
						  struct ws_prefix *prefix, uint32_t *value);

static inline uint32_t fib_trie_root_index(const uint8_t *address)
{
	uint32_t word;
	memcpy(&word, address, sizeof(word));
	return be32toh(word) >> 8;
}

static inline uint32_t fib_trie_load(const uint32_t *entry)
{
	return __atomic_load_n(entry, ATOMIC_LEADS);
}

static inline uint32_t fib_trie_kind(uint32_t entry)
{
	return entry >> FIB_TRIE_KIND_SHIFT;
}

/* The group or list that an entry leads to; the first list, which is readable, if the entry does
 * not lead deeper. */
static inline void *fib_trie_node(const struct fib_trie *fib, uint32_t entry)
{
	uint32_t leads = 0 - (entry >> 31), mask = (1u << FIB_TRIE_KIND_SHIFT) - 1;
	return fib->nodes + (size_t)(entry & leads & mask) * FIB_TRIE_NODE_UNIT;
}

/* The 32 bits of an address from this byte on; zeros beyond its end. */
static inline uint32_t fib_trie_word(const uint8_t *address, uint32_t byte)
{
	enum { LAST = 16 - sizeof(uint32_t) };
	uint32_t word, at = byte < LAST ? byte : LAST;
	memcpy(&word, address + at, sizeof(word));
	return be32toh(word) << 8 * (byte - at);
}
