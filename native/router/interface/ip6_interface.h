/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 on an interface: link-local address, groups, state of the link-local address. */
#pragma once

#include "router/router.h"
#include "wire/address.h"
#include "wire/ip6.h"

/* State of an interface with IPv6; replaced as a whole. */
struct ip6_interface {
	uint8_t link_local[IP6_ADDRESS_LEN];
	bool is_tentative; /* the link-local address must not be used, or not yet */
};

/* NULL while IPv6 is not enabled on the interface. */
static inline const struct ip6_interface *ip6_interface(const struct ws_router *router,
														uint16_t index)
{
	return __atomic_load_n(&router->ip6[index], __ATOMIC_ACQUIRE);
}

/* True if the interface has the address. */
bool ip6_is_own(const struct ws_router *router, uint16_t index, const uint8_t *address);
/* True for an address of the interface that it does not use, since it may be another station's. */
bool ip6_is_tentative(const struct ws_router *router, uint16_t index, const uint8_t *address);
/* True if the address is link-local or in one of the interface's prefixes. */
bool ip6_is_on_link(const struct ws_router *router, uint16_t index, const uint8_t *address);
/* True if the interface has joined the group: all nodes, all routers, or the solicited-node group
 * of one of its addresses. */
bool ip6_is_joined(const struct ws_router *router, uint16_t index, const uint8_t *group);
/* Main thread: whether a new address is probed on the link before it is used. On an interface with
 * a pair, Linux does this; a loopback outside of a bridge has no link. */
bool ip6_wants_dad(const struct ws_router *router, uint16_t index);
/* Main thread: call this after a change of the interface's addresses, MAC address or settings. */
int router_update_ip6(struct ws_router *router, uint16_t index);
