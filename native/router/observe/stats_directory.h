/* SPDX-License-Identifier: Apache-2.0 */
/* The names in the statistics segment. */
#pragma once

#include "router/observe/stats_segment.h"

/* Make the entries that always exist, and the vectors that they refer to. */
void stats_directory_make(struct ws_router *router);

/* Under the lock: add a name for one element of a vector, in all its rows. There is always room. */
__attribute__((format(printf, 4, 5))) uint32_t stats_link_add(struct stats_segment *stats,
															  enum stats_vector vector,
															  uint32_t index, const char *format,
															  ...);
/* Under the lock: add an entry of any type. There is always room: STATS_MAX_ENTRIES includes all
 * kinds. */
__attribute__((format(printf, 4, 5))) uint32_t stats_entry_add(struct stats_segment *stats,
															   enum stats_type type, uint64_t value,
															   const char *format, ...);
/* Set a gauge, which only the main thread writes. */
void stats_gauge_set(struct stats_segment *stats, uint32_t index, uint64_t value);
void stats_entry_drop(struct stats_segment *stats, uint32_t index);
/* A name as a part of other names: '/' becomes '_'. */
void stats_plain_name(char plain[static WS_NAME_LEN], const char *name);

static inline uint64_t stats_address(const void *in_segment)
{
	return (uint64_t)(uintptr_t)in_segment;
}

static inline void stats_set(struct stats_segment *stats, enum stats_value value, uint64_t number)
{
	stats_gauge_set(stats, stats->values[value], number);
}
