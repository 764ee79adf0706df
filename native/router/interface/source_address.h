/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source address of the router's own packets on an interface: the first address with a prefix that
 * covers the destination, else the first one. Also for workers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* 0 when the interface has no IPv4 address. Both are numbers. */
uint32_t ip4_source_address(const struct ws_router *router, uint16_t interface,
							uint32_t destination);
/* Towards link-local addresses and groups, and without a global one, its link-local address. False
 * while IPv6 is not enabled there. */
bool ip6_source_address(const struct ws_router *router, uint16_t interface,
						const uint8_t *destination, uint8_t *source);
