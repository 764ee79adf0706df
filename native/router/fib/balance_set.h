/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of load balances that the change of one interface or route can affect, so that a change
 * visits only these. Main thread only.
 */
#pragma once

#include "router/fib/load_balance.h"

struct ws_prefix;

/* Put the load balance into the sets that its paths belong to; it stores its places there for
 * balance_sets_leave, also on failure. */
int balance_sets_join(struct load_balance_table *table, uint32_t index,
					  const struct path_list *list, uint32_t **places);
void balance_sets_leave(struct load_balance_table *table, const struct path_list *list,
						uint32_t *places);
void balance_sets_close(struct load_balance_table *table);

/* True if a recursive path of the table has a next hop within the prefix. */
bool balance_sets_have_next_hop(const struct load_balance_table *table, uint16_t index,
								const struct ws_prefix *prefix);
