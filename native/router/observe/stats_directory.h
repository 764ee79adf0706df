/* SPDX-License-Identifier: Apache-2.0 */
/* The names in the statistics segment. */
#pragma once

#include "router/observe/stats_segment.h"

/* The entries that are always there, and the vectors that they lead to. */
void stats_directory_make(struct ws_router *router);

/* Under the lock: a name for one element of a vector, in all its rows. There is always room. */
__attribute__((format(printf, 4, 5))) uint32_t stats_link_add(struct stats_segment *stats,
															  enum stats_vector vector,
															  uint32_t index, const char *format,
															  ...);
/* Under the lock: an entry of any type. There is always room: STATS_MAX_ENTRIES counts all kinds.
 */
__attribute__((format(printf, 4, 5))) uint32_t stats_entry_add(struct stats_segment *stats,
															   enum stats_type type, uint64_t value,
															   const char *format, ...);
/* A gauge's value, which the main thread alone writes. */
void stats_gauge_set(struct stats_segment *stats, uint32_t index, uint64_t value);
void stats_entry_drop(struct stats_segment *stats, uint32_t index);
/* A name as it stands between the slashes of others: with '_' for '/'. */
void stats_plain_name(char plain[static WS_NAME_LEN], const char *name);

static inline uint64_t stats_address(const void *in_segment)
{
	return (uint64_t)(uintptr_t)in_segment;
}

static inline void stats_set(struct stats_segment *stats, enum stats_value value, uint64_t number)
{
	stats_gauge_set(stats, stats->values[value], number);
}
