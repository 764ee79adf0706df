/* SPDX-License-Identifier: Apache-2.0 */
/* Bonds: several ports as one interface (IEEE 802.1AX). */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* Numbers are those of VPP's API. */
enum ws_bond_mode {
	WS_BOND_ROUND_ROBIN = 1,
	WS_BOND_ACTIVE_BACKUP = 2,
	WS_BOND_XOR = 3,
	WS_BOND_BROADCAST = 4,
	WS_BOND_LACP = 5,
};

/* Fields of the flow hash: Ethernet addresses; IP addresses and ports; Ethernet and IP addresses.
 */
enum ws_bond_balance { WS_BOND_L2 = 0, WS_BOND_L34 = 1, WS_BOND_L23 = 2 };

struct ws_bond {
	uint32_t id;     /* number in its name */
	int32_t mode;    /* enum ws_bond_mode */
	int32_t balance; /* enum ws_bond_balance; of xor and lacp */
	bool has_mac;    /* given; otherwise it is that of the first member */
	uint8_t mac[6];
	/* Told only: in the order that they came in. */
	uint16_t member_count;
	uint16_t members[WS_MAX_PORTS];
	bool is_active[WS_MAX_PORTS]; /* sends */
};

/* A port as LACP knows it; numbers of IEEE 802.1AX clause 5.4.2. */
struct ws_lacp_party {
	uint16_t system_priority, key, port_priority, port;
	uint8_t system[6], state;
};

struct ws_bond_member {
	uint16_t bond;
	bool is_passive, is_long_timeout, is_active;
	bool has_lacp; /* the rest is said */
	struct ws_lacp_party actor, partner;
	int32_t receive_state, periodic_state, mux_state; /* enums of router/bond/lacp.h */
	uint64_t received, sent;
};

/* `BondEthernet0` and so on, down and without members; returns its number.
 * ws_router_interface_delete() takes it away, and lets go of its members. */
int ws_router_bond_add(struct ws_router *router, const struct ws_bond *bond);
/* -ENODEV when the interface is no bond. */
int ws_router_bond(struct ws_router *router, uint16_t index, struct ws_bond *out);
/*
 * A port that nothing else uses becomes a member: it has the bond's MAC address, and what it brings
 * is the bond's. -EINVAL, with its line, for any other.
 */
int ws_router_bond_member_add(struct ws_router *router, uint16_t bond, uint16_t port,
							  bool is_passive, bool is_long_timeout);
/* It has its own MAC address again. -EINVAL when it is no member. */
int ws_router_bond_member_del(struct ws_router *router, uint16_t port);
int ws_router_bond_member(struct ws_router *router, uint16_t port, struct ws_bond_member *out);
