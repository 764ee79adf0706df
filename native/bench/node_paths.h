/* SPDX-License-Identifier: Apache-2.0 */
/* Paths through the router's trunk, and the router and routes for packets of all paths. */
#pragma once

#include "bench/node_rig.h"

#include <stdint.h>

enum { MAX_ROUTES = 1000000, MAX_IP6_ROUTES = 200000 };

/*
 * Address of route i: eight /24s apart, so that a million routes cover half of the address space,
 * as in the Internet. Three of five are /24s, the others /23s and /22s.
 */
uint32_t route_address(uint32_t i);
uint8_t route_length(uint32_t i);

/*
 * IPv6 address of route i: eight per /32, spread over the /12s from which registries allocate. Half
 * of them are /48s, as in the Internet.
 */
void route_address6(uint32_t i, uint8_t *address);
uint8_t route_length6(uint32_t i);

/* Make a router whose ports 0 and 1 route, with a host of each family behind port 1, and room for
 * `routes` of IPv4. */
struct ws_router *paths_make_router(uint32_t routes);
/* Add routes until the family has the first `wanted` of them. */
void paths_have_routes(struct ws_router *router, bool is_ip6, uint32_t wanted);

/* Make a UDP packet to the router from 10.2.0.0 on; `make` and `aim` of a path. */
void make_ip4(uint8_t *header);
void aim_ip4(uint8_t *header, uint32_t route, uint32_t flow);
