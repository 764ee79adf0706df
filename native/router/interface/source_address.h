/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source address of the router's own packets on an interface: the first address with a prefix that
 * covers the destination, otherwise the first one. Workers may call it too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* 0 if the interface has no IPv4 address. Both addresses are numbers. */
uint32_t ip4_source_address(const struct ws_router *router, uint16_t interface,
							uint32_t destination);
/* The link-local address for link-local destinations and groups, and if there is no global address.
 * False while IPv6 is not enabled. */
bool ip6_source_address(const struct ws_router *router, uint16_t interface,
						const uint8_t *destination, uint8_t *source);
