/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/nexthops.h"

#include "linux/grow.h"
#include "wirespeed/routes.h"

#include <stdlib.h>
#include <string.h>

void nexthops_close(struct nexthops *nexthops)
{
	free(nexthops->at);
	*nexthops = (struct nexthops){0};
}

/* Index of the object, or the index at which to insert it. */
static uint32_t place_of(const struct nexthops *nexthops, uint32_t id)
{
	uint32_t from = 0, to = nexthops->count;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (nexthops->at[middle].nexthop.id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool is_at(const struct nexthops *nexthops, uint32_t place, uint32_t id)
{
	return place < nexthops->count && nexthops->at[place].nexthop.id == id;
}

const struct known_nexthop *nexthops_find(const struct nexthops *nexthops, uint32_t id)
{
	uint32_t place = place_of(nexthops, id);
	return is_at(nexthops, place, id) ? &nexthops->at[place] : NULL;
}

static bool is_same_path(const struct linux_path *one, const struct linux_path *other)
{
	return one->link == other->link && one->weight == other->weight &&
		   !memcmp(&one->gateway, &other->gateway, sizeof(one->gateway)) &&
		   one->label_count == other->label_count &&
		   !memcmp(one->labels, other->labels, one->label_count * sizeof(one->labels[0]));
}

static bool is_same(const struct linux_nexthop *one, const struct linux_nexthop *other)
{
	if (one->id != other->id || one->is_blackhole != other->is_blackhole ||
		one->is_dead != other->is_dead || one->member_count != other->member_count)
		return false;
	for (uint16_t i = 0; i < one->member_count; i++)
		if (one->members[i].id != other->members[i].id ||
			one->members[i].weight != other->members[i].weight)
			return false;
	return is_same_path(&one->path, &other->path);
}

bool nexthops_set(struct nexthops *nexthops, const struct linux_nexthop *nexthop,
				  uint8_t generation)
{
	uint32_t place = place_of(nexthops, nexthop->id);
	if (!is_at(nexthops, place, nexthop->id)) {
		struct known_nexthop *at =
			grow(nexthops->at, nexthops->count, &nexthops->capacity, sizeof(*at));
		if (!at)
			return false;
		nexthops->at = at;
		memmove(&nexthops->at[place + 1], &nexthops->at[place],
				(nexthops->count++ - place) * sizeof(nexthops->at[0]));
		memset(&nexthops->at[place], 0, sizeof(nexthops->at[0]));
	}
	struct known_nexthop *known = &nexthops->at[place];
	if (!is_same(&known->nexthop, nexthop))
		known->is_changed = nexthops->are_changed = true;
	memcpy(&known->nexthop, nexthop, sizeof(*nexthop));
	known->generation = generation;
	return true;
}

bool nexthops_remove(struct nexthops *nexthops, uint32_t id)
{
	uint32_t place = place_of(nexthops, id);
	if (!is_at(nexthops, place, id))
		return false;
	memmove(&nexthops->at[place], &nexthops->at[place + 1],
			(--nexthops->count - place) * sizeof(nexthops->at[0]));
	nexthops->are_changed = nexthops->are_gone = true;
	return true;
}

void nexthops_sweep(struct nexthops *nexthops, uint8_t generation)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < nexthops->count; i++)
		if (nexthops->at[i].generation == generation)
			memmove(&nexthops->at[kept++], &nexthops->at[i], sizeof(nexthops->at[0]));
	if (kept < nexthops->count)
		nexthops->are_changed = nexthops->are_gone = true;
	nexthops->count = kept;
}

void nexthops_spread_changes(struct nexthops *nexthops)
{
	for (uint32_t i = 0; i < nexthops->count; i++) {
		struct known_nexthop *group = &nexthops->at[i];
		for (uint16_t m = 0; m < group->nexthop.member_count && !group->is_changed; m++) {
			const struct known_nexthop *member =
				nexthops_find(nexthops, group->nexthop.members[m].id);
			/* The kernel does not have groups in groups. */
			group->is_changed = !member || (!member->nexthop.member_count && member->is_changed);
		}
	}
}

void nexthops_are_told(struct nexthops *nexthops)
{
	for (uint32_t i = 0; i < nexthops->count; i++)
		nexthops->at[i].is_changed = false;
	nexthops->are_changed = nexthops->are_gone = false;
}

static void add_path(struct linux_route *route, const struct linux_nexthop *nexthop,
					 uint16_t weight)
{
	if (nexthop->is_dead || nexthop->is_blackhole || nexthop->member_count ||
		route->path_count == WS_MAX_PATHS)
		return;
	struct linux_path *path = &route->paths[route->path_count++];
	memcpy(path, &nexthop->path, sizeof(*path));
	path->weight = weight;
}

bool nexthops_resolve(const struct nexthops *nexthops, uint32_t id, struct linux_route *route)
{
	const struct known_nexthop *known = nexthops_find(nexthops, id), *member;
	if (!known)
		return false;
	memset(route->paths, 0, sizeof(route->paths));
	route->path_count = 0;
	route->kind = known->nexthop.is_blackhole ? WS_PATH_DROP : WS_PATH_NEXT_HOP;
	add_path(route, &known->nexthop, 1);
	for (uint16_t i = 0; i < known->nexthop.member_count; i++)
		if ((member = nexthops_find(nexthops, known->nexthop.members[i].id)))
			add_path(route, &member->nexthop, known->nexthop.members[i].weight);
	return true;
}
