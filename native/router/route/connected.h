/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the addresses of interfaces. */
#pragma once

#include "router/router.h"
#include "wirespeed/routes.h"

struct connected_route {
	struct ws_prefix prefix;
	enum ws_path_kind kind; /* local, attached or drop */
};

enum { CONNECTED_MAX_ROUTES = WS_MAX_ADDRESSES * 4 };

/*
 * Each address is a local route; its prefix is attached; the prefix's first and last address are
 * dropped (except in a /31, RFC 3021; a /32 has no prefix). Each prefix occurs once: local takes
 * precedence over drop. Returns the number of routes in `out`, which has room for
 * CONNECTED_MAX_ROUTES.
 */
uint32_t connected_routes(const struct address_list *addresses, struct connected_route *out);

/* Index in `routes` of the prefix, or -1. */
int connected_find(const struct connected_route *routes, uint32_t count,
				   const struct ws_prefix *prefix);
