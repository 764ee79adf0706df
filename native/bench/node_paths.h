/* SPDX-License-Identifier: Apache-2.0 */
/* The trunk's paths through the router, and the routes that packets of all paths take. */
#pragma once

#include "bench/node_rig.h"

#include <stdint.h>

enum { MAX_ROUTES = 1000000, MAX_IP6_ROUTES = 200000 };

/*
 * Route i: eight /24s apart, so that a million of them lie in half of the addresses, as those of
 * the Internet do; three of five are /24s, the others /23s and /22s.
 */
uint32_t route_address(uint32_t i);
uint8_t route_length(uint32_t i);

/*
 * Route i of IPv6: eight for each /32, those spread over the /12s that registries give out of; half
 * of them /48s, as in the Internet.
 */
void route_address6(uint32_t i, uint8_t *address);
uint8_t route_length6(uint32_t i);

/* A UDP packet to the router from 10.2.0.0 on; `make` and `aim` of a path. */
void make_ip4(uint8_t *header);
void aim_ip4(uint8_t *header, uint32_t route, uint32_t flow);
