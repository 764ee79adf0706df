/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of the load balances that a change of one interface or route can affect, so that a change
 * visits no others. Main thread only.
 */
#pragma once

#include "router/fib/load_balance.h"

struct ws_prefix;

/* Put the load balance into the sets that its paths belong to; its places there are for
 * balance_sets_leave, also when it fails. */
int balance_sets_join(struct load_balance_table *table, uint32_t index,
					  const struct path_list *list, uint32_t **places);
void balance_sets_leave(struct load_balance_table *table, const struct path_list *list,
						uint32_t *places);
void balance_sets_close(struct load_balance_table *table);

/* True if a recursive path of the table has a next hop within the prefix. */
bool balance_sets_have_next_hop(const struct load_balance_table *table, uint16_t index,
								const struct ws_prefix *prefix);
