/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 on an interface: link-local address, groups, state of the link. */
#pragma once

#include "router/router.h"
#include "wire/address.h"
#include "wire/ip6.h"

/* State of an interface with IPv6; replaced as a whole. */
struct ip6_interface {
	uint8_t link_local[IP6_ADDRESS_LEN];
	bool is_tentative; /* the link-local address is not to be used, or not yet */
};

/* NULL while IPv6 is not enabled on the interface. */
static inline const struct ip6_interface *ip6_interface(const struct ws_router *router,
														uint16_t index)
{
	return __atomic_load_n(&router->ip6[index], __ATOMIC_ACQUIRE);
}

/* The address is one of the interface's own. */
bool ip6_is_own(const struct ws_router *router, uint16_t index, const uint8_t *address);
/* The interface was given it, and does not use it: it may be another station's. */
bool ip6_is_tentative(const struct ws_router *router, uint16_t index, const uint8_t *address);
/* The address is link-local or in one of the interface's prefixes. */
bool ip6_is_on_link(const struct ws_router *router, uint16_t index, const uint8_t *address);
/* The interface listens to the group: all nodes, all routers, or solicited for one of its own. */
bool ip6_is_joined(const struct ws_router *router, uint16_t index, const uint8_t *group);
/* Main thread: whether an address that it gets is looked for on its link before it is used. On an
 * interface that is paired with one of Linux that is Linux's to do; a loopback that bridges nothing
 * has no link. */
bool ip6_wants_dad(const struct ws_router *router, uint16_t index);
/* Main thread: after a change of the interface's addresses, MAC address or settings. */
int router_update_ip6(struct ws_router *router, uint16_t index);
