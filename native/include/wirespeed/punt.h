/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct ws_router;

/* Kinds of packets handed to Linux or to the main thread. */
enum ws_punt_reason {
	WS_PUNT_ARP = 0,
	WS_PUNT_ND,        /* neighbour discovery, and what asks for routers and listeners */
	WS_PUNT_LACP,      /* and other slow protocols */
	WS_PUNT_ROUTING,   /* BGP, OSPF, IS-IS, BFD, LDP, RIP, PIM, VRRP */
	WS_PUNT_ICMP,      /* ICMP of both families */
	WS_PUNT_MULTICAST, /* other IP to groups and to all */
	WS_PUNT_IP4,       /* other IP to addresses of ours */
	WS_PUNT_IP6,
	WS_PUNT_OTHER, /* no IP */
	WS_PUNT_REASONS
};

struct ws_punt_policer {
	uint32_t rate_pps, burst;
	uint64_t passed, dropped; /* since it was set */
};

/* In the place of an interface: all of them together. */
enum { WS_PUNT_ALL_INTERFACES = -1 };

/*
 * At most so many packets a second, and `burst` at once, are handed over for that reason, on each
 * worker: of one interface, or of all together. A packet is held to both. A rate of 0 ends it.
 */
int ws_router_set_punt_policer(struct ws_router *router, int32_t interface, uint32_t reason,
							   uint32_t rate_pps, uint32_t burst);
/* 1 with `out` filled, 0 when there is none, or a negative errno. */
int ws_router_punt_policer(struct ws_router *router, int32_t interface, uint32_t reason,
						   struct ws_punt_policer *out);
