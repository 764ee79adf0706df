/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The adjacencies of a load balance, resolved from its paths before it gets its index in the table.
 */
#pragma once

#include "router/fib/load_balance.h"

/* All data of a load balance except for its index. */
struct load_balance_draft {
	struct path_key *leaves;
	uint32_t *adjacencies;
	uint32_t leaf_count;
	struct load_balance balance;
};

/* Takes a reference of each adjacency that the leaves lead to; none on failure. */
int load_balance_make_draft(struct load_balance_table *table, uint16_t payload,
							const struct path_key *leaves, uint32_t count,
							struct load_balance_draft *draft);
/* Free the draft's parts, except for the references and the buckets. */
void load_balance_free_draft(struct load_balance_draft *draft);
void load_balance_release_adjacencies(struct load_balance_table *table, const uint32_t *adjacencies,
									  uint32_t count);
