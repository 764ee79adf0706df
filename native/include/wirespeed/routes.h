/* SPDX-License-Identifier: Apache-2.0 */
/* Routes, their targets, and their tables. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum ws_path_kind {
	WS_PATH_NEXT_HOP = 0,    /* via next_hop [interface] */
	WS_PATH_ATTACHED = 1,    /* connected on interface: each destination is its own next hop */
	WS_PATH_LOCAL = 2,       /* ours */
	WS_PATH_DROP = 3,        /* silently */
	WS_PATH_UNREACHABLE = 4, /* answered: host unreachable */
	WS_PATH_PROHIBIT = 5,    /* answered: administratively prohibited */
	WS_PATH_LOOKUP = 6,      /* look again, in `table` */
};

/*
 * A next hop without interface is on a connected network, or else reached by the route to it in
 * `table`, which is followed when it changes. Labels are pushed, the outermost first; one that is
 * implicit null (3) is none. Each bears its own TTL and class (EXP; RFC 3443, pipe), or those of
 * the packet where its TTL here is 0 (uniform).
 */
struct ws_path {
	int32_t kind; /* enum ws_path_kind */
	struct ws_address next_hop;
	int32_t interface; /* -1: none given */
	uint16_t weight;   /* 0 means 1 */
	uint32_t table;    /* its id, as given to ws_router_table_add */
	uint8_t label_count;
	uint32_t labels[WS_MAX_LABELS];
	uint8_t label_ttls[WS_MAX_LABELS], label_classes[WS_MAX_LABELS];
};

/*
 * Source of a route. Preference for one prefix: connected, static, Linux, neighbour. The other
 * routes are kept and take over when the preferred one goes.
 */
enum ws_route_source {
	WS_SOURCE_STATIC = 0,    /* the user */
	WS_SOURCE_LINUX = 1,     /* the kernel's tables */
	WS_SOURCE_CONNECTED = 2, /* an address of ours */
	WS_SOURCE_NEIGHBOR = 3,  /* a neighbour's own host route */
};

struct ws_route {
	uint32_t table; /* 0: the default one of the prefix's family */
	int32_t source; /* enum ws_route_source */
	uint32_t index; /* index of its counter (counters.h), in answers */
	struct ws_prefix prefix;
	uint16_t path_count;
	struct ws_path paths[WS_MAX_PATHS];
};

/*
 * Add or replace (`replace`) a route of the user's or Linux's; -EEXIST when the source has one and
 * it may not be replaced, or when an address of ours stands there and the source is the user.
 */
int ws_router_route_add(struct ws_router *router, const struct ws_route *route, bool replace);
/* Add the paths to `count` consecutive prefixes of one length; returns how many were added. */
int64_t ws_router_route_add_many(struct ws_router *router, const struct ws_route *first,
								 uint32_t count, bool replace);
/* -ENOENT when the source has no such route. `count` as above. */
int64_t ws_router_route_del_many(struct ws_router *router, uint32_t table, struct ws_prefix first,
								 int32_t source, uint32_t count);

/* Add or replace `route`, or delete what its source has at its prefix (the paths then do not
 * matter). */
struct ws_route_change {
	bool is_removal;
	struct ws_route route;
};
/*
 * Many changes of different routes, one after the other; results[i] is 0 or a negative errno.
 * Returns how many failed; ws_error() explains the last one.
 */
int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results);

int64_t ws_router_route_count(struct ws_router *router, uint32_t table, uint8_t family);
/* Routes with the same `paths` have the same paths, which ws_router_paths reads. */
struct ws_route_entry {
	struct ws_prefix prefix;
	int32_t source; /* enum ws_route_source */
	uint32_t paths;
	uint32_t index; /* as in struct ws_route: the index of its counter */
};

/* The routes behind the prefix `after`, NULL for all of them, in order of (address, length);
 * returns how many were written. So pages that each begin behind the last prefix of the one before
 * have every route once that is there all the while, whatever comes and goes meanwhile. */
int ws_router_route_entries(struct ws_router *router, uint32_t table, uint8_t family,
							const struct ws_prefix *after, struct ws_route_entry *out,
							uint32_t max);
/* Up to WS_MAX_PATHS into `out`; returns how many. */
int ws_router_paths(struct ws_router *router, uint32_t paths, struct ws_path *out);
/*
 * The lines at the start of `text` that are `ip route add PREFIX via ADDRESS [INTERFACE]`, or del,
 * for the default tables, up to the first one that is another or that cannot be done. Returns how
 * many bytes that was, and in `lines` how many lines.
 */
int64_t ws_router_routes_text(struct ws_router *router, const char *text, uint64_t length,
							  uint64_t *lines);
/* The route of exactly this prefix; -ENOENT when there is none. */
int ws_router_route_get(struct ws_router *router, uint32_t table, struct ws_prefix prefix,
						struct ws_route *out);
/* The longest match of `address`; -ENOENT when there is none. */
int ws_router_route_lookup(struct ws_router *router, uint32_t table, struct ws_address address,
						   struct ws_route *out);

/*
 * Which of several paths a flow takes is a hash of it, and of a number that another router has not,
 * so that two in a row do not choose alike: random from the start, or `seed`, with which the choice
 * can be repeated. Flows move when it changes.
 */
void ws_router_set_flow_hash_seed(struct ws_router *router, uint32_t seed);
uint32_t ws_router_flow_hash_seed(const struct ws_router *router);

/* Fields of the flow hash, by VPP's bits. Ports are those of TCP, UDP and SCTP. */
enum ws_flow_field {
	WS_FLOW_SRC = 1,
	WS_FLOW_DST = 2,
	WS_FLOW_SPORT = 4,
	WS_FLOW_DPORT = 8,
	WS_FLOW_PROTO = 16,
	WS_FLOW_REVERSE = 32,   /* fields of source and destination exchanged, as in the answers */
	WS_FLOW_SYMMETRIC = 64, /* both directions of a flow alike */
	WS_FLOW_LABEL = 128,    /* IPv6 */
	WS_FLOW_FIELDS = 255,
};

/*
 * Which fields choose among the paths of a route, of packets that come in by interfaces of the
 * table. All but reverse and symmetric unless set. -EINVAL for other bits, or for none.
 */
int ws_router_set_flow_hash(struct ws_router *router, uint8_t family, uint32_t table,
							uint32_t fields);

/*
 * Tables of routes. The default ones have the id 0 and are there from the start; packets of an
 * interface are looked up in the table that it is put into.
 */
struct ws_table {
	uint8_t family;
	uint32_t id;
	uint32_t route_count;
	uint32_t flow_hash; /* enum ws_flow_field, one by one */
	char name[WS_NAME_LEN];
};

/* 0 as well when it is there; `name` may be empty. */
int ws_router_table_add(struct ws_router *router, uint8_t family, uint32_t id, const char *name);
/* -EBUSY while an interface, routes in it or paths of others need it. */
int ws_router_table_del(struct ws_router *router, uint8_t family, uint32_t id);
int ws_router_tables(struct ws_router *router, uint8_t family, struct ws_table *out, uint32_t max);
/* -EBUSY while the interface has addresses of the family. */
int ws_router_set_table(struct ws_router *router, uint16_t index, uint8_t family, uint32_t id);
