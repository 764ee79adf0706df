/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's next-hop objects, which routes refer to by number. A group has members; a deleted
 * one is left out, and resilient groups count as plain ones.
 */
#pragma once

#include "linux/message.h"

struct known_nexthop {
	struct linux_nexthop nexthop;
	uint8_t generation;
	bool is_changed; /* since its routes were last told of it, or a member of it is */
};

/* Ordered by number. */
struct nexthops {
	struct known_nexthop *at;
	uint32_t count, capacity;
	bool are_changed; /* some of them */
	bool are_gone;    /* likewise, since routes were last told */
};

void nexthops_close(struct nexthops *nexthops);
/* It is there then; false when memory is short. */
bool nexthops_set(struct nexthops *nexthops, const struct linux_nexthop *nexthop,
				  uint8_t generation);
/* False when there is none. */
bool nexthops_remove(struct nexthops *nexthops, uint32_t id);
const struct known_nexthop *nexthops_find(const struct nexthops *nexthops, uint32_t id);
/* Remove those that are not of the generation. */
void nexthops_sweep(struct nexthops *nexthops, uint8_t generation);
/* Have groups be changed as well of which a member is, or is gone. */
void nexthops_spread_changes(struct nexthops *nexthops);
void nexthops_are_told(struct nexthops *nexthops);
/* Give the route the paths, or the kind, of the object; false when there is none. */
bool nexthops_resolve(const struct nexthops *nexthops, uint32_t id, struct linux_route *route);
