/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum ws_neighbor_state {
	WS_NEIGHBOR_INCOMPLETE = 0,
	WS_NEIGHBOR_REACHABLE = 1,
	WS_NEIGHBOR_STATIC = 2,
	WS_NEIGHBOR_STALE = 3, /* reachable time is over, or no reply to the router yet */
	WS_NEIGHBOR_PROBE = 4, /* probed for reachability */
};

struct ws_neighbor {
	uint16_t interface;
	struct ws_address address;
	uint8_t mac[6];
	int32_t state; /* enum ws_neighbor_state */
	double age_s;
};

int ws_router_neighbor_add(struct ws_router *router, uint16_t interface, struct ws_address address,
						   const uint8_t *mac);
int ws_router_neighbor_del(struct ws_router *router, uint16_t interface, struct ws_address address);

/* Events of a neighbour in Linux. */
enum ws_neighbor_news_kind {
	WS_NEIGHBOR_NEWS_HEARD = 0,  /* it has replied */
	WS_NEIGHBOR_NEWS_SILENT = 1, /* no recent reply */
	WS_NEIGHBOR_NEWS_PERMANENT = 2,
	WS_NEIGHBOR_NEWS_FAILED = 3,    /* it does not reply */
	WS_NEIGHBOR_NEWS_FORGOTTEN = 4, /* removed for an unknown reason: the router probes it itself */
};

struct ws_neighbor_news {
	int32_t kind; /* enum ws_neighbor_news_kind */
	struct ws_address address;
	uint8_t mac[6]; /* MAC address for the first three kinds */
};

/* The neighbour ages like others, unless it is permanent. A neighbour that the user added does not
 * change. */
int ws_router_neighbor_follow(struct ws_router *router, uint16_t interface,
							  const struct ws_neighbor_news *news);

/* Number of neighbours, its limit, and events since the router was created. */
struct ws_neighbor_counters {
	uint32_t used, most; /* including static ones and next hops of routes */
	uint32_t learnt, most_learnt, most_of_interface;
	uint64_t recycled; /* unresolved ones that were replaced by newer ones */
	uint64_t refused_interface, refused_table;
	uint64_t unanswered; /* removed after three probes without reply */
};

int ws_router_neighbor_counters(struct ws_router *router, struct ws_neighbor_counters *out);
int ws_router_neighbors(struct ws_router *router, uint32_t start, struct ws_neighbor *out,
						uint32_t max);

/* Packets that wait for a next hop's MAC address. */
struct ws_held {
	struct ws_address next_hop;
	uint16_t interface, worker;
	uint32_t packets;
	double waiting_s; /* waiting time of the first packet */
};
/* Held packets per next hop and worker, at most WS_MOST_HELD; returns the number of entries. */
int ws_router_held(struct ws_router *router, struct ws_held *out, uint32_t max);

/* Time after which neighbours of the family are probed; 0: never. A neighbour that does not reply
 * to three probes is removed. */
int ws_router_set_reachable_time(struct ws_router *router, uint8_t family, uint32_t seconds);
uint32_t ws_router_reachable_time(const struct ws_router *router, uint8_t family);

/* Announce addresses of the family when they are added and when their interface comes up: by
 * gratuitous ARP, or by unsolicited neighbour advertisements and group reports. Default: off. */
int ws_router_set_announcing(struct ws_router *router, uint8_t family, bool is_on);
bool ws_router_is_announcing(const struct ws_router *router, uint8_t family);
