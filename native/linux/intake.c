/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/intake.h"

#include "linux/grow.h"

#include "dev/error.h"
#include "linux/intake_routes.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

int intake_init(struct intake *intake, struct ws_router *router)
{
	*intake = (struct intake){.router = router, .wanted = INTAKE_ALL};
	intake->batch = calloc(INTAKE_BATCH, sizeof(*intake->batch));
	intake->results = calloc(INTAKE_BATCH, sizeof(*intake->results));
	return intake->batch && intake->results ? 0 : fail(-ENOMEM, "no memory for Linux's routes");
}

void intake_close(struct intake *intake)
{
	rib_close(&intake->rib);
	nexthops_close(&intake->nexthops);
	free(intake->links);
	free(intake->addresses);
	free(intake->batch);
	free(intake->results);
}

/* ---- Pairs ---- */

static uint32_t pair_slot(const struct intake *intake, int32_t link)
{
	uint32_t at = (uint32_t)link * 0x9e3779b1u % INTAKE_PAIRS;
	while (intake->pairs[at].link && intake->pairs[at].link != link)
		at = (at + 1) % INTAKE_PAIRS;
	return at;
}

int32_t intake_interface(const struct intake *intake, int32_t link)
{
	const struct link_pair *pair = &intake->pairs[pair_slot(intake, link)];
	return link > 0 && pair->link ? pair->interface : -1;
}

/* Into an emptier table: ones taken out leave no hole in a run that way. */
static void unpair(struct intake *intake, int32_t link)
{
	struct link_pair before[INTAKE_PAIRS];
	memcpy(before, intake->pairs, sizeof(before));
	memset(intake->pairs, 0, sizeof(intake->pairs));
	intake->pair_count = 0;
	for (uint32_t i = 0; i < INTAKE_PAIRS; i++)
		if (before[i].link && before[i].link != link) {
			intake->pairs[pair_slot(intake, before[i].link)] = before[i];
			intake->pair_count++;
		}
}

int intake_pair(struct intake *intake, int32_t link, int32_t interface)
{
	if (link <= 0)
		return fail(-EINVAL, "%d is no link", link);
	if (interface < 0) {
		unpair(intake, link);
	} else {
		uint32_t slot = pair_slot(intake, link);
		if (!intake->pairs[slot].link && intake->pair_count >= INTAKE_PAIRS / 2)
			return fail(-ENOSPC, "%d links are paired, which is the most", INTAKE_PAIRS / 2);
		intake->pair_count += !intake->pairs[slot].link;
		intake->pairs[slot] = (struct link_pair){link, interface};
	}
	intake->pairs_changed = true;
	intake->wanted |= INTAKE_ALL;
	return 0;
}

/* ---- Links and addresses ---- */

static void remove_link(struct intake *intake, uint32_t at)
{
	intake->links[at] = intake->links[--intake->link_count];
	intake->changes |= WS_LINUX_LINKS;
	/* The kernel lets its IPv4 routes and next-hop objects go without a word. */
	intake->wanted |= 1 << DUMP_NEXTHOPS | 1 << DUMP_ROUTES4;
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
	uint32_t at = 0;
	while (at < intake->link_count && intake->links[at].link.index != link->index)
		at++;
	if (is_removal) {
		if (at < intake->link_count)
			remove_link(intake, at);
		return;
	}
	if (at == intake->link_count) {
		void *links = grow(intake->links, at, &intake->link_room, sizeof(*intake->links));
		if (!links)
			return;
		intake->links = links;
		intake->links[intake->link_count++] = (struct known_link){0};
	}
	struct known_link *known = &intake->links[at];
	if (known->link.is_up && !link->is_up)
		intake->wanted |= 1 << DUMP_NEXTHOPS | 1 << DUMP_ROUTES4;
	/* Objects, and with them their routes, go with the carrier already. */
	if (known->has_carrier && !has_carrier)
		intake->wanted |= 1 << DUMP_NEXTHOPS;
	known->has_carrier = has_carrier;
	if (!same_link(&known->link, link))
		intake->changes |= WS_LINUX_LINKS;
	known->link = *link;
	known->generation = intake->generations[DUMP_LINKS];
}

static void remove_address(struct intake *intake, uint32_t at)
{
	intake->addresses[at] = intake->addresses[--intake->address_count];
	intake->changes |= WS_LINUX_ADDRESSES;
	intake->wanted |= 1 << DUMP_ROUTES4;
}

/* Of single bytes, so without padding. */
static bool same_address(const struct ws_linux_address *one, const struct ws_linux_address *other)
{
	return one->link == other->link && !memcmp(&one->prefix, &other->prefix, sizeof(one->prefix));
}

static void take_address(struct intake *intake, const struct ws_linux_address *address,
						 bool is_removal)
{
	uint32_t at = 0;
	while (at < intake->address_count && !same_address(&intake->addresses[at].address, address))
		at++;
	if (is_removal) {
		if (at < intake->address_count)
			remove_address(intake, at);
		return;
	}
	if (at == intake->address_count) {
		void *addresses =
			grow(intake->addresses, at, &intake->address_room, sizeof(*intake->addresses));
		if (!addresses)
			return;
		intake->addresses = addresses;
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
 * The kernel forgets neighbours that it has not used itself for a while, which the router may well
 * use; the router then asks them itself.
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
	intake->repeats &= ~(1u << dump);
}

void intake_dump_fails(struct intake *intake, enum linux_dump dump)
{
	intake->stats.failed_dumps++;
	intake->wanted |= 1u << dump;
}
