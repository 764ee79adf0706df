/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/intake.h"

#include "linux/grow.h"

#include "dev/error.h"
#include "linux/intake_labels.h"
#include "linux/intake_pairs.h"
#include "linux/intake_routes.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

int intake_init(struct intake *intake, struct ws_router *router)
{
	*intake = (struct intake){.router = router, .all = INTAKE_ALL, .wanted = INTAKE_ALL};
	intake->batch = calloc(INTAKE_BATCH, sizeof(*intake->batch));
	intake->results = calloc(INTAKE_BATCH, sizeof(*intake->results));
	return intake->batch && intake->results ? 0 : fail(-ENOMEM, "no memory to read Linux's routes");
}

void intake_close(struct intake *intake)
{
	rib_close(&intake->rib);
	nexthops_close(&intake->nexthops);
	places_close(&intake->pairs_by_link);
	places_close(&intake->links_by_number);
	places_close(&intake->addresses_by_value);
	free(intake->pairs);
	free(intake->links);
	free(intake->addresses);
	free(intake->labels);
	free(intake->batch);
	free(intake->results);
}

/* ---- Links and addresses ---- */

/* Dumps to repeat when a link goes down, since Linux may remove these objects without a message. */
enum { WITH_A_LINK = 1 << DUMP_NEXTHOPS | 1 << DUMP_ROUTES4 | 1 << DUMP_LABELS };

static bool is_link(const void *links, uint32_t at, const void *number)
{
	return ((const struct known_link *)links)[at].link.index == *(const int32_t *)number;
}

static uint32_t find_link(struct intake *intake, int32_t number)
{
	return places_find(&intake->links_by_number, hash_of_link(number), is_link, intake->links,
					   &number);
}

static void remove_link(struct intake *intake, uint32_t at)
{
	uint32_t last = --intake->link_count;
	places_remove(&intake->links_by_number, hash_of_link(intake->links[at].link.index), at);
	if (at != last)
		places_move(&intake->links_by_number, hash_of_link(intake->links[last].link.index), last,
					at);
	intake->links[at] = intake->links[last];
	intake->changes |= WS_LINUX_LINKS;
	/* The kernel deletes the link's IPv4 routes, next-hop objects and labels without a message. */
	intake->wanted |= WITH_A_LINK & intake->all;
}

static bool same_link(const struct ws_linux_link *one, const struct ws_linux_link *other)
{
	return one->index == other->index && one->parent == other->parent &&
		   !strcmp(one->name, other->name) && !strcmp(one->kind, other->kind) &&
		   one->is_up == other->is_up && one->mtu == other->mtu &&
		   !memcmp(one->mac, other->mac, sizeof(one->mac)) && one->vlan_id == other->vlan_id &&
		   one->vlan_protocol == other->vlan_protocol;
}

static void take_link(struct intake *intake, const struct ws_linux_link *link, bool has_carrier,
					  bool is_removal)
{
	uint32_t at = find_link(intake, link->index);
	if (is_removal) {
		if (at != PLACE_NONE)
			remove_link(intake, at);
		return;
	}
	if (at == PLACE_NONE) {
		at = intake->link_count;
		void *links = grow(intake->links, at, &intake->link_capacity, sizeof(*intake->links));
		if (!links)
			return;
		intake->links = links;
		if (!places_add(&intake->links_by_number, hash_of_link(link->index), at))
			return;
		intake->links[intake->link_count++] = (struct known_link){0};
	}
	struct known_link *known = &intake->links[at];
	if (known->link.is_up && !link->is_up)
		intake->wanted |= WITH_A_LINK & intake->all;
	/* Next-hop objects, and the routes that refer to them, are deleted already when the carrier is
	 * lost. */
	if (known->has_carrier && !has_carrier)
		intake->wanted |= 1 << DUMP_NEXTHOPS;
	known->has_carrier = has_carrier;
	if (!same_link(&known->link, link))
		intake->changes |= WS_LINUX_LINKS;
	known->link = *link;
	known->generation = intake->generations[DUMP_LINKS];
}

/* The prefix consists of bytes, so it has no padding. */
static bool same_address(const struct ws_linux_address *one, const struct ws_linux_address *other)
{
	return one->link == other->link && !memcmp(&one->prefix, &other->prefix, sizeof(one->prefix));
}

static bool is_address(const void *addresses, uint32_t at, const void *address)
{
	return same_address(&((const struct known_address *)addresses)[at].address, address);
}

static uint32_t hash_of_address(const struct ws_linux_address *address)
{
	return place_hash(&address->prefix, sizeof(address->prefix)) ^ hash_of_link(address->link);
}

static void remove_address(struct intake *intake, uint32_t at)
{
	uint32_t last = --intake->address_count;
	struct known_address *known = intake->addresses;
	places_remove(&intake->addresses_by_value, hash_of_address(&known[at].address), at);
	if (at != last)
		places_move(&intake->addresses_by_value, hash_of_address(&known[last].address), last, at);
	known[at] = known[last];
	intake->changes |= WS_LINUX_ADDRESSES;
	intake->wanted |= 1 << DUMP_ROUTES4;
}

static void take_address(struct intake *intake, const struct ws_linux_address *address,
						 bool is_removal)
{
	uint32_t hash = hash_of_address(address);
	uint32_t at =
		places_find(&intake->addresses_by_value, hash, is_address, intake->addresses, address);
	if (is_removal) {
		if (at != PLACE_NONE)
			remove_address(intake, at);
		return;
	}
	if (at == PLACE_NONE) {
		at = intake->address_count;
		void *addresses =
			grow(intake->addresses, at, &intake->address_capacity, sizeof(*intake->addresses));
		if (!addresses)
			return;
		intake->addresses = addresses;
		if (!places_add(&intake->addresses_by_value, hash, at))
			return;
		intake->address_count++;
		intake->addresses[at].address = *address;
		intake->changes |= WS_LINUX_ADDRESSES;
	}
	intake->addresses[at].generation = intake->generations[DUMP_ADDRESSES];
}

static void sweep_links(struct intake *intake)
{
	for (uint32_t i = 0; i < intake->link_count;)
		if (intake->links[i].generation == intake->generations[DUMP_LINKS])
			i++;
		else
			remove_link(intake, i);
}

static void sweep_addresses(struct intake *intake)
{
	for (uint32_t i = 0; i < intake->address_count;)
		if (intake->addresses[i].generation == intake->generations[DUMP_ADDRESSES])
			i++;
		else
			remove_address(intake, i);
}

/* ---- Neighbours ---- */

/*
 * The kernel deletes neighbours that it has not used itself for a while, though the router may use
 * them; the router then probes them itself.
 */
static void take_neighbor(struct intake *intake, const struct linux_neighbor *neighbor,
						  bool is_removal)
{
	int32_t interface = intake_interface(intake, neighbor->link);
	struct ws_neighbor_news news = {.address = neighbor->address};
	if (interface < 0)
		return;
	memcpy(news.mac, neighbor->mac, sizeof(news.mac));
	if (neighbor->has_failed)
		news.kind = WS_NEIGHBOR_NEWS_FAILED;
	else if (is_removal)
		news.kind = WS_NEIGHBOR_NEWS_FORGOTTEN;
	else if (!neighbor->is_known)
		return;
	else if (neighbor->is_permanent)
		news.kind = WS_NEIGHBOR_NEWS_PERMANENT;
	else
		news.kind = neighbor->is_heard ? WS_NEIGHBOR_NEWS_HEARD : WS_NEIGHBOR_NEWS_SILENT;
	if (ws_router_neighbor_follow(intake->router, (uint16_t)interface, &news))
		intake_reject(intake);
}

/* ---- All ---- */

void intake_take(struct intake *intake, const struct linux_message *message, bool from_dump)
{
	intake->stats.messages++;
	switch (message->kind) {
	case LINUX_LINK:
		take_link(intake, &message->link, message->has_carrier, message->is_removal);
		break;
	case LINUX_ADDRESS:
		take_address(intake, &message->address, message->is_removal);
		break;
	case LINUX_NEIGHBOR:
		take_neighbor(intake, &message->neighbor, message->is_removal);
		break;
	case LINUX_ROUTE:
		intake_take_route(intake, &message->route, message->is_removal, from_dump);
		break;
	case LINUX_NEXTHOP:
		intake_take_nexthop(intake, &message->nexthop, message->is_removal);
		break;
	case LINUX_LABEL:
		intake_take_label(intake, &message->label, message->is_removal);
		break;
	default:
		break;
	}
}

void intake_dump_begins(struct intake *intake, enum linux_dump dump)
{
	intake->wanted &= ~(1u << dump);
	intake->generations[dump]++;
	if (dump == DUMP_LINKS && intake->pairs_changed) {
		intake->repeats |= 1u << DUMP_ROUTES4 | 1u << DUMP_ROUTES6;
		intake->pairs_changed = false;
	}
}

void intake_dump_ends(struct intake *intake, enum linux_dump dump)
{
	intake->stats.dumps++;
	if (dump == DUMP_LINKS)
		sweep_links(intake);
	else if (dump == DUMP_ADDRESSES)
		sweep_addresses(intake);
	else if (dump == DUMP_NEXTHOPS)
		nexthops_sweep(&intake->nexthops, intake->generations[dump]);
	else if (dump == DUMP_ROUTES4)
		intake_sweep_routes(intake, WS_IP4);
	else if (dump == DUMP_ROUTES6)
		intake_sweep_routes(intake, WS_IP6);
	else if (dump == DUMP_LABELS)
		intake_sweep_labels(intake);
	intake->repeats &= ~(1u << dump);
}

void intake_dump_fails(struct intake *intake, enum linux_dump dump)
{
	intake->stats.failed_dumps++;
	intake->wanted |= 1u << dump;
}

void intake_withdraw(struct intake *intake)
{
	for (int family = 0; family < 2; family++) {
		intake->generations[family ? DUMP_ROUTES6 : DUMP_ROUTES4]++;
		intake_sweep_routes(intake, family ? WS_IP6 : WS_IP4);
	}
	intake->generations[DUMP_LABELS]++;
	intake_sweep_labels(intake);
	intake_flush(intake);
}
