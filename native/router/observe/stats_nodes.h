/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the graphs' nodes in the vectors of the statistics segment. */
#pragma once

#include "router/observe/stats_layout.h"

#include <stdbool.h>

struct stats_slot {
	char name[WS_NAME_LEN]; /* empty: the slot is free */
	const struct graph_counter *reasons;
	uint16_t first_counter, counter_count;
	bool is_told_of; /* it has entries */
	uint32_t links[STATS_NODE_LINKS];
};

struct stats_nodes {
	struct stats_slot slots[GRAPH_MAX_SLOTS];
	bool is_taken[STATS_MAX_COUNTERS];
	uint32_t links[STATS_MAX_COUNTERS];
};
