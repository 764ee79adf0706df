/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of one namespace, changed by messages. Sockets are in netlink.c.
 *
 * Dump replies and events come through one socket, in one order, so an older dump never undoes a
 * newer event. A dump raises the generation of its kind; entries that still have the older
 * generation at its end are gone.
 */
#pragma once

#include "linux/dumps.h"
#include "linux/message.h"
#include "linux/nexthops.h"
#include "linux/places.h"
#include "linux/rib.h"
#include "wirespeed/routes.h"

struct ws_route_change;

enum { INTAKE_ALL = (1 << DUMP_COUNT) - 1, INTAKE_BATCH = 256 };

struct known_link {
	struct ws_linux_link link;
	bool has_carrier;
	uint8_t generation;
};

struct known_address {
	struct ws_linux_address address;
	uint8_t generation;
};

/* The interface of a link. */
struct link_pair {
	int32_t link, interface;
};

struct intake {
	struct ws_router *router;
	struct link_pair *pairs;
	uint32_t pair_count, pair_capacity;
	struct places pairs_by_link, links_by_number, addresses_by_value;
	struct rib rib;
	struct nexthops nexthops;
	struct known_link *links;
	struct known_address *addresses;
	uint32_t link_count, link_capacity, address_count, address_capacity;
	uint8_t generations[DUMP_COUNT];
	uint32_t wanted;    /* bit set of the dumps to be made */
	uint32_t all;       /* bit set of the dumps that the kernel supports */
	uint32_t changes;   /* enum ws_linux_change since the last poll */
	bool pairs_changed; /* report all routes to the router again, even unchanged ones */
	uint32_t repeats;   /* … during these dumps: bit set, until each has completed */
	struct ws_linux_stats stats;
	uint16_t
		*labels; /* by label: generation of the last message about it, 0: none; NULL at first */
	uint32_t batch_count;
	struct ws_route_change *batch;
	int32_t *results;
};

static inline uint32_t hash_of_link(int32_t link)
{
	return place_hash(&link, sizeof(link));
}

int intake_init(struct intake *intake, struct ws_router *router);
void intake_close(struct intake *intake);
void intake_take(struct intake *intake, const struct linux_message *message, bool from_dump);
void intake_dump_begins(struct intake *intake, enum linux_dump dump);
/* The dump was complete: entries that it did not report are gone. */
void intake_dump_ends(struct intake *intake, enum linux_dump dump);
/* The dump failed and is to be repeated. */
void intake_dump_fails(struct intake *intake, enum linux_dump dump);
/* Delete all routes, here and in the router. */
void intake_withdraw(struct intake *intake);
/* Update routes of changed objects, and pass collected changes to the router. */
void intake_flush(struct intake *intake);
int intake_pair(struct intake *intake, int32_t link, int32_t interface);
