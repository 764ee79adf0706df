/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces of a router, between which it routes and bridges. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_port_config;
struct ws_router;

/* The bridged virtual interface (BVI) of a bridge domain routes: it is in WS_MODE_L3. */
enum ws_interface_mode { WS_MODE_L3 = 0, WS_MODE_XCONNECT = 1, WS_MODE_BRIDGE = 2 };

enum ws_interface_kind {
	WS_INTERFACE_PORT = 0,
	WS_INTERFACE_SUB = 1,
	WS_INTERFACE_LOOPBACK = 2,
	WS_INTERFACE_VXLAN = 3,
	WS_INTERFACE_BOND = 4,
};

/* In place of a VLAN id: any VLAN. */
#define WS_VLAN_ANY 4095

/*
 * Frames of the parent that a sub-interface receives. The sub-interface that matches the most tags
 * receives a frame. Outer 0 with `exact`: frames without tags; outer 0 without it: tagged frames
 * that no other sub-interface matches.
 */
struct ws_subinterface {
	uint32_t id;
	uint16_t outer, inner; /* VLAN ids 1 to 4094, or WS_VLAN_ANY; inner 0: one tag */
	bool dot1ad;           /* the outer tag is 802.1ad */
	bool exact;            /* no further tags; required for routing */
};

/* Tags to pop from received frames and then to push; sent frames are rewritten in the opposite way.
 */
struct ws_tag_rewrite {
	uint8_t pop, push; /* numbers of tags; both 0: frames stay unchanged */
	bool dot1ad;       /* the outer pushed tag is 802.1ad */
	uint16_t tags[2];  /* VLAN ids to push, the outer one first */
};

/* L2: the longest packet that a port carries. L3: the longest packet that routing sends. The others
 * are per protocol; 0: same as L3. */
enum ws_mtu_kind { WS_MTU_L2, WS_MTU_L3, WS_MTU_IP4, WS_MTU_IP6, WS_MTU_MPLS, WS_MTU_KINDS };

struct ws_interface {
	char name[WS_NAME_LEN];
	int32_t kind;    /* enum ws_interface_kind */
	uint16_t parent; /* parent of a sub-interface: a port, bond or tunnel; otherwise the interface
						itself */
	struct ws_subinterface sub;
	bool admin_up, link_up;
	uint16_t mtu;
	uint8_t mac[6];
	int32_t mode;           /* enum ws_interface_mode */
	uint16_t xconnect_to;   /* interface index, in WS_MODE_XCONNECT */
	uint32_t bridge_domain; /* id, 0: none; in WS_MODE_BRIDGE, and for a BVI */
	uint8_t split_horizon_group;
	struct ws_tag_rewrite tag_rewrite;
	uint16_t mtus[5];      /* by enum ws_mtu_kind */
	int32_t unnumbered_of; /* the interface whose addresses it uses, or -1 */
	uint32_t ip4_table, ip6_table;
	bool mpls;
	uint16_t address_count;
	struct ws_prefix addresses[WS_MAX_ADDRESSES];
};

/* Summed over workers. Bytes are frame bytes without FCS. */
struct ws_interface_counters {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t drops, punts, ip4, ip6, mpls, rx_missed, rx_errors, rx_no_buffer, tx_errors;
};

/*
 * Interfaces that are ports have the port's number, below WS_MAX_PORTS; the numbers of others start
 * there. Numbers of deleted interfaces are used again. Functions that make an interface return its
 * number.
 */
int ws_router_port_add(struct ws_router *router, const struct ws_port_config *config);
/* `loop0` and so on; if `mac` is NULL it is derived from the instance. */
int ws_router_loopback_add(struct ws_router *router, uint32_t instance, const uint8_t *mac);
int ws_router_subinterface_add(struct ws_router *router, uint16_t parent,
							   const struct ws_subinterface *sub);
/* -EEXIST while anything other than its own addresses and neighbours uses it. */
int ws_router_interface_delete(struct ws_router *router, uint16_t index);

struct ws_interface_name {
	char name[WS_NAME_LEN];
	uint16_t index;
};

/* Ports by number, each followed by its sub-interfaces by id, then loopbacks; returns their number.
 */
int ws_router_interfaces(struct ws_router *router, struct ws_interface_name *out, uint32_t max);
/* The number of the interface with that name, or -1. */
int ws_router_interface_find(struct ws_router *router, const char *name);
int ws_router_interface(struct ws_router *router, uint16_t index, struct ws_interface *out);
int ws_router_interface_counters(struct ws_router *router, uint16_t index,
								 struct ws_interface_counters *out);
int ws_router_set_state(struct ws_router *router, uint16_t index, bool up);
/* For a port: the largest packet of the device and of routing; for other interfaces: of routing
 * only. */
int ws_router_set_mtu(struct ws_router *router, uint16_t index, uint16_t mtu);
/* `kind` is not WS_MTU_L2; the value is at most what the port carries. */
int ws_router_set_protocol_mtu(struct ws_router *router, uint16_t index, int32_t kind,
							   uint16_t mtu);
/* Use the current and future addresses of interface `of` in place of own ones; -1: end this. */
int ws_router_set_unnumbered(struct ws_router *router, uint16_t index, int32_t of);
int ws_router_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac);
/* -EEXIST, or -EINVAL if it overlaps an address of another interface. */
int ws_router_address_add(struct ws_router *router, uint16_t index, struct ws_prefix prefix);
int ws_router_address_del(struct ws_router *router, uint16_t index, struct ws_prefix prefix);
/* A port with an interface in a layer 2 mode receives all frames in any case. */
int ws_router_set_promiscuous(struct ws_router *router, uint16_t index, bool on);
int ws_router_set_xconnect(struct ws_router *router, uint16_t index,
						   uint16_t to); /* one direction */
/* Put the interface into the bridge domain, which is made if necessary: a loopback as its BVI,
 * others as members. */
int ws_router_set_bridge(struct ws_router *router, uint16_t index, uint32_t domain, bool bvi,
						 uint8_t split_horizon_group);
int ws_router_set_l3(struct ws_router *router, uint16_t index);
int ws_router_set_tag_rewrite(struct ws_router *router, uint16_t index,
							  const struct ws_tag_rewrite *rewrite);
