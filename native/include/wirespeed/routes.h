/* SPDX-License-Identifier: Apache-2.0 */
/* Routes, their paths, and route tables. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum ws_path_kind {
	WS_PATH_NEXT_HOP = 0,    /* via next_hop [interface] */
	WS_PATH_ATTACHED = 1,    /* attached network: each destination is its own next hop */
	WS_PATH_LOCAL = 2,       /* to the router itself */
	WS_PATH_DROP = 3,        /* dropped silently */
	WS_PATH_UNREACHABLE = 4, /* dropped with ICMP host unreachable */
	WS_PATH_PROHIBIT = 5,    /* dropped with ICMP administratively prohibited */
	WS_PATH_LOOKUP = 6,      /* another lookup, in `table` */
};

/*
 * A next hop without interface is on a connected network, or is resolved through the route to it in
 * `table` and follows changes of that route. Labels are pushed, the outermost first; implicit null
 * (3) pushes none. A label has its own TTL and class (EXP; RFC 3443, pipe), or the packet's if its
 * TTL here is 0 (uniform).
 */
struct ws_path {
	int32_t kind; /* enum ws_path_kind */
	struct ws_address next_hop;
	int32_t interface; /* -1: none */
	uint16_t weight;   /* 0 means 1 */
	uint32_t table;    /* id of the table, as given to ws_router_table_add */
	uint8_t label_count;
	uint32_t labels[WS_MAX_LABELS];
	uint8_t label_ttls[WS_MAX_LABELS], label_classes[WS_MAX_LABELS];
};

/*
 * Source of a route. Preference for one prefix: connected, static, Linux, neighbour. The other
 * routes are kept and become active when the preferred one is deleted.
 */
enum ws_route_source {
	WS_SOURCE_STATIC = 0,    /* the user */
	WS_SOURCE_LINUX = 1,     /* kernel tables */
	WS_SOURCE_CONNECTED = 2, /* an address of the router */
	WS_SOURCE_NEIGHBOR = 3,  /* host route of a neighbour */
};

struct ws_route {
	uint32_t table; /* 0: the family's default table */
	int32_t source; /* enum ws_route_source */
	uint32_t index; /* index of its counter (counters.h), on reads */
	struct ws_prefix prefix;
	uint16_t path_count;
	struct ws_path paths[WS_MAX_PATHS];
};

/*
 * Add or replace (`replace`) a route of the user or Linux; -EEXIST if the source already has one
 * and `replace` is false, or if the prefix belongs to an address of the router and the source is
 * the user.
 */
int ws_router_route_add(struct ws_router *router, const struct ws_route *route, bool replace);
/* Add the paths to `count` consecutive prefixes of one length; returns the number added. */
int64_t ws_router_route_add_many(struct ws_router *router, const struct ws_route *first,
								 uint32_t count, bool replace);
/* -ENOENT if the source has no such route. `count` as above. */
int64_t ws_router_route_del_many(struct ws_router *router, uint32_t table, struct ws_prefix first,
								 int32_t source, uint32_t count);

/* Add or replace `route`, or delete the source's route for its prefix (the paths are then ignored).
 */
struct ws_route_change {
	bool is_removal;
	struct ws_route route;
};
/*
 * Apply changes of different routes in order; results[i] is 0 or a negative errno. Returns the
 * number of failed ones; ws_error() explains the last one.
 */
int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results);

int64_t ws_router_route_count(struct ws_router *router, uint32_t table, uint8_t family);
/* Routes with the same `paths` share their paths; ws_router_paths reads them. */
struct ws_route_entry {
	struct ws_prefix prefix;
	int32_t source; /* enum ws_route_source */
	uint32_t paths;
	uint32_t index; /* as in struct ws_route: the index of its counter */
};

/* Routes behind the prefix `after` (NULL: all) in order of (address, length); returns the number
 * written. To read a table in pages, pass the last prefix of a page as the next `after`: each route
 * that exists during the whole read is returned exactly once, even if others change. */
int ws_router_route_entries(struct ws_router *router, uint32_t table, uint8_t family,
							const struct ws_prefix *after, struct ws_route_entry *out,
							uint32_t max);
/* Writes up to WS_MAX_PATHS to `out`; returns their number. */
int ws_router_paths(struct ws_router *router, uint32_t paths, struct ws_path *out);
/*
 * Apply the lines at the start of `text` of the form `ip route add PREFIX via ADDRESS [INTERFACE]`,
 * or del, for the default tables, up to the first line of another form or with an error. Returns
 * the number of bytes applied; `lines` is the number of lines.
 */
int64_t ws_router_routes_text(struct ws_router *router, const char *text, uint64_t length,
							  uint64_t *lines);
/* The route for exactly this prefix; -ENOENT if there is none. */
int ws_router_route_get(struct ws_router *router, uint32_t table, struct ws_prefix prefix,
						struct ws_route *out);
/* The longest match for `address`; -ENOENT if there is none. */
int ws_router_route_lookup(struct ws_router *router, uint32_t table, struct ws_address address,
						   struct ws_route *out);

/*
 * Seed of the flow hash that selects one of several paths. Two routers in a row need different
 * seeds, otherwise the second one always makes the same choice. It is random at the start; a given
 * seed makes choices repeatable. Flows may change paths when it changes.
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
	WS_FLOW_REVERSE = 32,   /* source and destination fields exchanged, as in the reply direction */
	WS_FLOW_SYMMETRIC = 64, /* same hash for both directions of a flow */
	WS_FLOW_LABEL = 128,    /* IPv6 */
	WS_FLOW_FIELDS = 255,
};

/*
 * Fields that select one of a route's paths, for packets received by interfaces of the table.
 * Default: all but reverse and symmetric. -EINVAL for other bits, or for none.
 */
int ws_router_set_flow_hash(struct ws_router *router, uint8_t family, uint32_t table,
							uint32_t fields);

/*
 * Route tables. The default ones have the id 0 and always exist. Packets are looked up in the table
 * of their interface.
 */
struct ws_table {
	uint8_t family;
	uint32_t id;
	uint32_t route_count;
	uint32_t flow_hash; /* bits of enum ws_flow_field */
	char name[WS_NAME_LEN];
};

/* Returns 0 if it exists already, too; `name` may be empty. */
int ws_router_table_add(struct ws_router *router, uint8_t family, uint32_t id, const char *name);
/* -EBUSY while an interface, a route in it or a path of another route uses it. */
int ws_router_table_del(struct ws_router *router, uint8_t family, uint32_t id);
int ws_router_tables(struct ws_router *router, uint8_t family, struct ws_table *out, uint32_t max);
/* -EBUSY while the interface has addresses of the family. */
int ws_router_set_table(struct ws_router *router, uint16_t index, uint8_t family, uint32_t id);
