/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of all interfaces, ordered by network, so that the owner of an address and overlaps are
 * found in logarithmic time. Prefixes of different interfaces in one table do not overlap
 * (address.c). Main thread only.
 */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct address_list;
struct ws_router;

struct indexed_address {
	unsigned __int128 first; /* first address of its network, as address_number() */
	struct ws_prefix prefix; /* with its host bits */
	uint16_t interface;
	uint16_t table; /* index */
};

struct address_index {
	struct indexed_address *at;
	uint32_t count, capacity;
};

/* Reserve room for the addresses of one more interface, so that address_index_change() cannot fail.
 */
int address_index_reserve(struct address_index *index);
/* Replace the interface's addresses `before` by `after`. */
void address_index_change(struct ws_router *router, uint16_t interface,
						  const struct address_list *before, const struct address_list *after);
void address_index_free(struct address_index *index);

/*
 * Iterates over the entries that cover the address in that table (index), the longest prefixes
 * first; start with `*place` 0. NULL after the last one.
 */
const struct indexed_address *address_index_over(const struct address_index *index, uint16_t table,
												 const struct ws_address *address, uint32_t *place);
/* Iterates over the entries whose network begins within the prefix. */
const struct indexed_address *address_index_within(const struct address_index *index,
												   uint16_t table, struct ws_prefix prefix,
												   uint32_t *place);
