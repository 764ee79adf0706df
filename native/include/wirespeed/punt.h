/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct ws_router;

/* Kinds of packets that are handed to Linux or to the main thread. */
enum ws_punt_reason {
	WS_PUNT_ARP = 0,
	WS_PUNT_ND,        /* neighbour discovery, router solicitations and listener messages */
	WS_PUNT_LACP,      /* LACP and other slow protocols */
	WS_PUNT_ROUTING,   /* BGP, OSPF, IS-IS, BFD, LDP, RIP, PIM, VRRP */
	WS_PUNT_ICMP,      /* ICMP of both families */
	WS_PUNT_MULTICAST, /* other IP multicast and broadcast */
	WS_PUNT_IP4,       /* other IPv4 to local addresses */
	WS_PUNT_IP6,
	WS_PUNT_OTHER, /* not IP */
	WS_PUNT_REASONS
};

struct ws_punt_policer {
	uint32_t rate_pps, burst;
	uint64_t passed, dropped; /* since the policer was set */
};

/* In place of an interface: the total of all interfaces. */
enum { WS_PUNT_ALL_INTERFACES = -1 };

/*
 * Limit packets handed over for this reason to so many per second, with bursts of `burst`, per
 * worker: from one interface, or from all interfaces in total. A packet is subject to both
 * policers. A rate of 0 removes the policer.
 */
int ws_router_set_punt_policer(struct ws_router *router, int32_t interface, uint32_t reason,
							   uint32_t rate_pps, uint32_t burst);
/* Returns 1 with `out` filled, 0 if there is none, or a negative errno. */
int ws_router_punt_policer(struct ws_router *router, int32_t interface, uint32_t reason,
						   struct ws_punt_policer *out);
