/* SPDX-License-Identifier: Apache-2.0 */
/* Duplicate address detection (RFC 4862 section 5.4) for the router's own IPv6 addresses. */
#pragma once

#include "wirespeed/address.h"

#include <stdint.h>

struct ws_router;

enum ws_dad_state { WS_DAD_USED = 0, WS_DAD_TENTATIVE, WS_DAD_DUPLICATE };
enum { WS_DAD_ALL_INTERFACES = -1, WS_DAD_MOST_TRANSMITS = 10 };

/* An address of an interface that another station uses too. */
struct ws_dad_conflict {
	uint16_t interface;
	struct ws_address address;
	uint8_t mac[6];
};

/*
 * Number of probes, one per second, before a new address is used; 0, the default: none. Setting all
 * interfaces includes future ones. Addresses in use are not probed again.
 */
int ws_router_set_dad(struct ws_router *router, int32_t interface, uint32_t transmits);
int ws_router_dad(struct ws_router *router, uint16_t index);
/* enum ws_dad_state of an address of the interface, or of its link-local address. */
int ws_router_dad_state(struct ws_router *router, uint16_t index, struct ws_address address);
/* Take the conflicts found since the last call, oldest first; returns the number written. */
int ws_router_dad_conflicts(struct ws_router *router, struct ws_dad_conflict *out, uint32_t max);
