/* SPDX-License-Identifier: Apache-2.0 */
/* Bonds: several ports as one interface (IEEE 802.1AX). */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* Values are those of VPP's API. */
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
	int32_t balance; /* enum ws_bond_balance; for xor and lacp */
	bool has_mac;    /* the address was given; otherwise it is the first member's */
	uint8_t mac[6];
	/* On reads only: in the order in which they were added. */
	uint16_t member_count;
	uint16_t members[WS_MAX_PORTS];
	bool is_active[WS_MAX_PORTS]; /* members that send */
};

/* Identity of a port in LACP; numbers of IEEE 802.1AX clause 5.4.2. */
struct ws_lacp_party {
	uint16_t system_priority, key, port_priority, port;
	uint8_t system[6], state;
};

struct ws_bond_member {
	uint16_t bond;
	bool is_passive, is_long_timeout, is_active;
	bool has_lacp; /* the following fields are valid */
	struct ws_lacp_party actor, partner;
	int32_t receive_state, periodic_state, mux_state; /* enums of router/bond/lacp.h */
	uint64_t received, sent;
};

/* `BondEthernet0` and so on, down and without members; returns its number.
 * ws_router_interface_delete() deletes it and releases its members. */
int ws_router_bond_add(struct ws_router *router, const struct ws_bond *bond);
/* -ENODEV if the interface is not a bond. */
int ws_router_bond(struct ws_router *router, uint16_t index, struct ws_bond *out);
/*
 * Make an otherwise unused port a member: it gets the bond's MAC address, and its packets are
 * received by the bond. -EINVAL, with an error text, for any other interface.
 */
int ws_router_bond_member_add(struct ws_router *router, uint16_t bond, uint16_t port,
							  bool is_passive, bool is_long_timeout);
/* The port gets its own MAC address back. -EINVAL if it is not a member. */
int ws_router_bond_member_del(struct ws_router *router, uint16_t port);
int ws_router_bond_member(struct ws_router *router, uint16_t port, struct ws_bond_member *out);
