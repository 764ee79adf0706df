/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/intake_routes.h"

#include "linux/intake_pairs.h"
#include "wirespeed/routes.h"
#include "wirespeed/runtime.h"

#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void send_batch(struct intake *intake)
{
	if (!intake->batch_count)
		return;
	ws_router_routes_change(intake->router, intake->batch, intake->batch_count, intake->results);
	for (uint32_t i = 0; i < intake->batch_count; i++)
		if (intake->results[i] < 0 && !intake->batch[i].is_removal)
			intake_reject(intake);
	intake->batch_count = 0;
}

static struct rib_key key_of(const struct linux_route *route)
{
	struct rib_key key = {
		.table = route->table == RT_TABLE_MAIN ? 0 : route->table,
		.metric = route->metric,
		.family = route->prefix.address.family,
		.length = route->prefix.length,
	};
	memcpy(key.address, route->prefix.address.bytes, sizeof(key.address));
	return key;
}

/* Collect the paths through paired links. */
static void own_paths(struct intake *intake, const struct linux_route *route, struct path_set *set)
{
	memset(set, 0, sizeof(*set));
	set->kind = route->kind;
	set->nexthop = route->nexthop;
	for (uint16_t i = 0; i < route->path_count && route->kind == WS_PATH_NEXT_HOP; i++)
		if (intake_interface(intake, route->paths[i].link) >= 0 &&
			route->paths[i].label_count <= WS_MAX_LABELS)
			memcpy(&set->paths[set->count++], &route->paths[i], sizeof(set->paths[0]));
}

/* Queue a report to the router of the current route for the table and prefix of `key`. */
static void tell(struct intake *intake, const struct rib_key *key, const struct rib_entry *best)
{
	struct ws_route_change *change = &intake->batch[intake->batch_count++];
	struct ws_route *route = &change->route;
	memset(change, 0, sizeof(*change));
	change->is_removal = !best;
	route->table = key->table;
	route->source = WS_SOURCE_LINUX;
	route->prefix.address.family = key->family;
	route->prefix.length = key->length;
	memcpy(route->prefix.address.bytes, key->address, sizeof(key->address));
	if (best) {
		const struct path_set *set = rib_paths(&intake->rib, best);
		route->path_count = (uint16_t)set->count;
		for (uint32_t i = 0; i < set->count; i++)
			intake_describe_path(intake, &set->paths[i], &route->paths[i]);
		if (set->kind != WS_PATH_NEXT_HOP) {
			route->path_count = 1;
			route->paths[0] = (struct ws_path){.kind = set->kind, .interface = -1};
		}
	}
	if (intake->batch_count == INTAKE_BATCH)
		send_batch(intake);
}

/* True for paths through paired links, and for deliberate drops. */
static bool leads_anywhere(const struct path_set *set)
{
	return set->count || set->kind != WS_PATH_NEXT_HOP;
}

/* Index of the set of paths that the router uses for the key's prefix; 0: none. */
static uint32_t used_set(const struct rib *rib, const struct rib_key *key)
{
	const struct rib_entry *best = rib_best(rib, key);
	return best ? best->paths : 0;
}

static enum linux_dump dump_of(uint8_t family)
{
	return family == WS_IP4 ? DUMP_ROUTES4 : DUMP_ROUTES6;
}

static void tell_if_changed(struct intake *intake, const struct rib_key *key, uint32_t before)
{
	const struct rib_entry *best = rib_best(&intake->rib, key);
	bool repeats = intake->repeats & 1u << dump_of(key->family);
	if ((best ? best->paths : 0) != before || (best && repeats))
		tell(intake, key, best);
}

static uint8_t generation_of(const struct intake *intake, uint8_t family)
{
	return intake->generations[dump_of(family)];
}

/* ---- Routes that come ---- */

/* IPv4 keeps several routes of one metric and uses the first one, which it also reports first. */
static bool stands_behind(const struct intake *intake, const struct rib_entry *entry,
						  const struct linux_route *route, const struct path_set *set,
						  bool from_dump)
{
	if (entry->family != WS_IP4)
		return false;
	if (!from_dump)
		return route->is_appended;
	const struct path_set *have = rib_paths(&intake->rib, entry);
	size_t length = offsetof(struct path_set, paths) + set->count * sizeof(set->paths[0]);
	return entry->generation == generation_of(intake, WS_IP4) &&
		   (have->count != set->count || memcmp(have, set, length));
}

static void add(struct intake *intake, const struct rib_key *key, const struct linux_route *route,
				const struct path_set *set, bool from_dump)
{
	uint8_t generation = generation_of(intake, key->family);
	struct rib_entry *entry = rib_find(&intake->rib, key);
	bool is_ambiguous = false;
	if (entry && stands_behind(intake, entry, route, set, from_dump)) {
		entry->is_ambiguous = true;
		entry->generation = generation;
		return;
	}
	if (entry && entry->generation == generation)
		is_ambiguous = entry->is_ambiguous;
	uint32_t before = used_set(&intake->rib, key);
	entry = rib_set(&intake->rib, key, set, generation);
	if (!entry) {
		intake->stats.rejected++;
		snprintf(intake->stats.rejection, sizeof(intake->stats.rejection),
				 "no memory for more of Linux's routes than %u", intake->rib.used);
		return;
	}
	entry->is_ambiguous = is_ambiguous;
	tell_if_changed(intake, key, before);
}

/* ---- Routes that go ---- */

static bool same_path(const struct linux_path *one, const struct linux_path *other)
{
	return one->link == other->link &&
		   !memcmp(&one->gateway, &other->gateway, sizeof(one->gateway));
}

/* An IPv6 route may lose single paths: `left` becomes `have` without `gone`. */
static void subtract(const struct path_set *have, const struct path_set *gone,
					 struct path_set *left)
{
	memset(left, 0, sizeof(*left));
	left->kind = have->kind;
	for (uint32_t i = 0; i < have->count; i++) {
		bool stays = true;
		for (uint32_t g = 0; g < gone->count; g++)
			stays &= !same_path(&have->paths[i], &gone->paths[g]);
		if (stays)
			memcpy(&left->paths[left->count++], &have->paths[i], sizeof(left->paths[0]));
	}
}

static void drop(struct intake *intake, const struct rib_key *key, const struct path_set *gone)
{
	struct rib_entry *entry = rib_find(&intake->rib, key);
	if (!entry)
		return;
	uint32_t before = used_set(&intake->rib, key);
	const struct path_set *have = rib_paths(&intake->rib, entry);
	struct path_set left = {0};
	if (key->family == WS_IP6 && have->kind == WS_PATH_NEXT_HOP && !have->nexthop)
		subtract(have, gone, &left);
	if (entry->is_ambiguous)
		intake->wanted |= 1 << DUMP_ROUTES4;
	if (!left.count || !rib_set(&intake->rib, key, &left, entry->generation))
		rib_remove(&intake->rib, entry);
	tell_if_changed(intake, key, before);
}

/* Delete the entry: the route leads elsewhere now. */
static void forget(struct intake *intake, const struct rib_key *key)
{
	struct rib_entry *entry = rib_find(&intake->rib, key);
	uint32_t before = used_set(&intake->rib, key);
	if (!entry)
		return;
	rib_remove(&intake->rib, entry);
	tell_if_changed(intake, key, before);
}

enum { ROUTE_DUMPS = 1 << DUMP_ROUTES4 | 1 << DUMP_ROUTES6 };

void intake_take_route(struct intake *intake, const struct linux_route *told, bool is_removal,
					   bool from_dump)
{
	struct rib_key key = key_of(told);
	struct linux_route route = *told;
	struct path_set set;
	if (!route.is_ours)
		return;
	bool is_unknown = route.nexthop && !nexthops_resolve(&intake->nexthops, route.nexthop, &route);
	own_paths(intake, &route, &set);
	if (is_removal)
		drop(intake, &key, &set);
	else if (leads_anywhere(&set))
		add(intake, &key, &route, &set, from_dump);
	else if (!route.is_appended)
		forget(intake, &key);
	/* Reported before its object, or the message about its object was lost. */
	if (is_unknown && !is_removal && !from_dump)
		intake->wanted |= 1 << DUMP_NEXTHOPS | ROUTE_DUMPS;
	intake->stats.routes = intake->rib.used;
}

/* ---- Next-hop objects ---- */

/* True if the object has a path through a paired link. */
static bool leads_by_ours(struct intake *intake, uint32_t id)
{
	struct linux_route route = {.nexthop = id};
	struct path_set set;
	if (!nexthops_resolve(&intake->nexthops, id, &route))
		return false;
	own_paths(intake, &route, &set);
	return leads_anywhere(&set);
}

/* Update a route after a change of its object; it is deleted with the object. */
static void follow_object(struct intake *intake, struct rib_entry *entry)
{
	struct rib_key key = rib_key_of(entry);
	struct linux_route route = {.nexthop = rib_paths(&intake->rib, entry)->nexthop};
	uint32_t before = used_set(&intake->rib, &key);
	struct path_set set = {.kind = WS_PATH_NEXT_HOP};
	if (nexthops_resolve(&intake->nexthops, route.nexthop, &route))
		own_paths(intake, &route, &set);
	if (entry->is_ambiguous)
		intake->wanted |= 1 << DUMP_ROUTES4;
	if (!leads_anywhere(&set) || !rib_set(&intake->rib, &key, &set, entry->generation))
		rib_remove(&intake->rib, entry);
	tell_if_changed(intake, &key, before);
}

/* Update each route once, however many objects changed. */
static void follow_objects(struct intake *intake)
{
	struct rib_entry *entry;
	uint32_t at = 0;
	if (!intake->nexthops.are_changed)
		return;
	nexthops_spread_changes(&intake->nexthops);
	while ((entry = rib_next_of_nexthops(&intake->rib, &at))) {
		const struct known_nexthop *known =
			nexthops_find(&intake->nexthops, rib_paths(&intake->rib, entry)->nexthop);
		uint32_t used = intake->rib.used;
		if (!known || known->is_changed)
			follow_object(intake, entry);
		at += used == intake->rib.used; /* otherwise another entry may have moved here */
	}
	nexthops_are_told(&intake->nexthops);
	intake->stats.routes = intake->rib.used;
}

void intake_take_nexthop(struct intake *intake, const struct linux_nexthop *nexthop,
						 bool is_removal)
{
	const struct known_nexthop *known = nexthops_find(&intake->nexthops, nexthop->id);
	bool was_there = known, led_by_ours = known && leads_by_ours(intake, nexthop->id);
	if (is_removal) {
		nexthops_remove(&intake->nexthops, nexthop->id);
		return;
	}
	/* The number may have belonged to a deleted object, whose routes were deleted with it. */
	if (!was_there && intake->nexthops.are_gone)
		follow_objects(intake);
	if (!nexthops_set(&intake->nexthops, nexthop, intake->generations[DUMP_NEXTHOPS])) {
		intake->stats.rejected++;
		snprintf(intake->stats.rejection, sizeof(intake->stats.rejection),
				 "no memory for more of Linux's next hops than %u", intake->nexthops.count);
		return;
	}
	/* Its routes were not stored while it led elsewhere. */
	if (was_there && !led_by_ours && leads_by_ours(intake, nexthop->id))
		intake->wanted |= ROUTE_DUMPS;
}

void intake_flush(struct intake *intake)
{
	follow_objects(intake);
	send_batch(intake);
}

void intake_sweep_routes(struct intake *intake, uint8_t family)
{
	struct rib_entry *entry;
	uint32_t at = 0;
	while ((entry = rib_next_stale(&intake->rib, &at, family, generation_of(intake, family)))) {
		struct rib_key key = rib_key_of(entry);
		uint32_t before = used_set(&intake->rib, &key);
		rib_remove(&intake->rib, entry);
		tell_if_changed(intake, &key, before);
	}
	intake->stats.routes = intake->rib.used;
}
