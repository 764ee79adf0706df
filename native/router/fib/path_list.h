/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of routes: the key under which a load balance is found. Main thread only. */
#pragma once

#include "router/fib/load_balance.h"
#include "wirespeed/routes.h"

/* Kind of packets that use the routes, after the pop of labels in front. */
enum path_payload { PAYLOAD_IP4, PAYLOAD_IP6, PAYLOAD_MPLS, PAYLOAD_MPLS_IP4, PAYLOAD_MPLS_IP6 };

#define PATH_NO_INTERFACE UINT32_MAX

/* Key of a path. It has no padding, and fields that its kind does not use are zero. */
struct path_key {
	uint8_t kind; /* enum ws_path_kind */
	uint8_t label_count;
	uint16_t table; /* index of the table to look up in, or in which to find the next hop */
	uint32_t interface, weight;
	uint32_t labels[WS_MAX_LABELS]; /* label stack entries as numbers; TTL 0: TTL and class are the
									   packet's */
	uint32_t via;                   /* leaf: as in struct load_balance */
	struct ws_address next_hop;
	uint8_t unused[3];
};

/* The key of a load balance, which routes with equal paths share. */
struct path_list {
	uint16_t source;  /* enum ws_route_source */
	uint16_t payload; /* enum path_payload */
	uint32_t count;
	struct path_key paths[];
};

/* A list of as many paths as a route may have. */
union path_list_buffer {
	struct path_list list;
	uint8_t bytes[sizeof(struct path_list) + WS_MAX_PATHS * sizeof(struct path_key)];
};

static inline bool path_is_recursive(const struct path_key *path)
{
	return path->kind == WS_PATH_NEXT_HOP && path->interface == PATH_NO_INTERFACE;
}

static inline bool path_list_is_recursive(const struct path_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (path_is_recursive(&list->paths[i]))
			return true;
	return false;
}
