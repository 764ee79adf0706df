/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 on interfaces. */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum { WS_MAX_ADVERTISED = 8 };

struct ws_ip6_advertised {
	struct ws_prefix prefix;
	uint32_t valid_s, preferred_s;
	bool on_link, autonomous;
};

/* Router advertisements: the interface's prefixes, and the prefixes given here, which take
 * precedence. */
struct ws_ip6_advertising {
	bool is_on, managed, other;
	uint16_t lifetime_s;
	uint16_t min_interval_s, max_interval_s;
	uint16_t prefix_count;
	struct ws_ip6_advertised prefixes[WS_MAX_ADVERTISED];
};

struct ws_ip6_interface {
	bool enabled; /* by command, or since the interface has an address */
	struct ws_address link_local;
	struct ws_ip6_advertising advertising;
};

int ws_router_ip6(struct ws_router *router, uint16_t index, struct ws_ip6_interface *out);
int ws_router_set_ip6(struct ws_router *router, uint16_t index, bool enabled);
/* Replace the link-local address that is derived from the MAC address; family 0: use that one
 * again. */
int ws_router_set_link_local(struct ws_router *router, uint16_t index, struct ws_address address);
int ws_router_set_advertising(struct ws_router *router, uint16_t index,
							  const struct ws_ip6_advertising *advertising);
