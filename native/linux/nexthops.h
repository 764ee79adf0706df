/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's next-hop objects, to which routes refer by number. A group has members. Deleted
 * members are skipped, and resilient groups are treated as plain ones.
 */
#pragma once

#include "linux/message.h"

struct known_nexthop {
	struct linux_nexthop nexthop;
	uint8_t generation;
	bool is_changed; /* it or a member has changed since its routes were updated */
};

/* Ordered by number. */
struct nexthops {
	struct known_nexthop *at;
	uint32_t count, capacity;
	bool are_changed; /* some object is_changed */
	bool are_gone;    /* some object was removed since routes were updated */
};

void nexthops_close(struct nexthops *nexthops);
/* Store the object; false if memory is short. */
bool nexthops_set(struct nexthops *nexthops, const struct linux_nexthop *nexthop,
				  uint8_t generation);
/* False if there is none. */
bool nexthops_remove(struct nexthops *nexthops, uint32_t id);
const struct known_nexthop *nexthops_find(const struct nexthops *nexthops, uint32_t id);
/* Remove those that are not of the generation. */
void nexthops_sweep(struct nexthops *nexthops, uint8_t generation);
/* Mark groups as changed if a member has changed or is gone. */
void nexthops_spread_changes(struct nexthops *nexthops);
void nexthops_are_told(struct nexthops *nexthops);
/* Set the route's paths, or its kind, to those of the object; false if there is none. */
bool nexthops_resolve(const struct nexthops *nexthops, uint32_t id, struct linux_route *route);
