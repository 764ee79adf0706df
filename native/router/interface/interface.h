/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces: the data that workers read, and functions for changes. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct fib_table;
struct vlan_table;
struct ws_router;

/* Never the destination of a frame: `l3_mac` of interfaces that do not receive L3 packets. */
#define INTERFACE_NO_MAC UINT64_MAX

struct address_list {
	uint16_t count; /* number of used addresses, which come first */
	uint16_t
		given; /* including addresses that wait for duplicate address detection or have failed it */
	struct ws_prefix at[WS_MAX_ADDRESSES]; /* with their host bits */
};

/*
 * An interface for workers. Numbers below WS_MAX_PORTS are ports, the others sub-interfaces,
 * loopbacks, tunnels and bonds. A missing interface is down and has no addresses.
 */
struct interface {
	uint64_t l3_mac; /* its MAC as a number while it is up and in L3 mode, else INTERFACE_NO_MAC */
	struct vlan_table *vlans;       /* port with sub-interfaces, else NULL */
	struct address_list *addresses; /* its own addresses or those it uses; never NULL */
	uint8_t mac[6];
	uint16_t mtu;
	uint16_t output; /* place in "*-output": of its port, or of its kind behind the ports */
	bool admin_up;
	bool usable;    /* admin_up, and there is a link */
	uint8_t mode;   /* enum ws_interface_mode */
	bool takes_all; /* up, in an L2 mode, and without sub-interfaces */
	bool is_exact;  /* a sub-interface for frames with its tags and no more */
	bool is_unnumbered;
	uint8_t tag_len; /* length of a sub-interface's tags in its frames: 0, 4 or 8 */
	uint8_t tags[8];
	bool is_lcp_host;  /* the TAP of a pair: its packets are sent by `lcp` */
	uint16_t lcp;      /* the pair's other interface (for a VLAN its port's TAP), or LCP_NONE */
	bool mpls;         /* accepts labelled packets */
	bool is_bvi;       /* its packets are sent to layer 2 */
	uint16_t table[2]; /* by family_index: where its packets are looked up */
} __attribute__((aligned(64)));

/* The main thread changes these while workers read. */
static inline bool interface_is_up(const struct interface *interface)
{
	return __atomic_load_n(&interface->admin_up, __ATOMIC_RELAXED);
}

/* The table in which its packets are looked up; `family` is a family_index. */
static inline uint16_t interface_table(const struct interface *interface, int family)
{
	return __atomic_load_n(&interface->table[family], __ATOMIC_RELAXED);
}

static inline bool interface_is_usable(const struct interface *interface)
{
	return __atomic_load_n(&interface->usable, __ATOMIC_RELAXED);
}

static inline bool interface_takes_all(const struct interface *interface)
{
	return __atomic_load_n(&interface->takes_all, __ATOMIC_RELAXED);
}

static inline uint8_t interface_mode(const struct interface *interface)
{
	return __atomic_load_n(&interface->mode, __ATOMIC_ACQUIRE);
}

static inline bool interface_is_bvi(const struct interface *interface)
{
	return __atomic_load_n(&interface->is_bvi, __ATOMIC_ACQUIRE);
}

static inline uint16_t interface_way_out(const struct interface *interface)
{
	return __atomic_load_n(&interface->output, __ATOMIC_RELAXED);
}

static inline uint64_t interface_l3_mac(const struct interface *interface)
{
	return __atomic_load_n(&interface->l3_mac, __ATOMIC_RELAXED);
}

/* An interface without a pair in Linux. */
enum { LCP_NONE = UINT16_MAX };

/* Places in "*-output": one per port, then one per kind of interfaces. */
enum { INTERFACE_KINDS = 8, OUTPUTS = WS_MAX_PORTS + INTERFACE_KINDS };

/* -EINVAL, with an error text, if the interface is a member of a bond, which allows no other use.
 */
int interface_check_free(const struct ws_router *router, uint16_t index);
/* The longest packet that the interface's port carries now. */
uint16_t interface_carries(const struct ws_router *router, uint16_t index);
/* ws_router_set_mac that also accepts members of bonds. */
int interface_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac);
/* Call this after a change of its admin state, mode, MAC address or presence of sub-interfaces. */
void router_publish_mac(struct interface *interface);
/* Apply the interface's MAC address and MTU to the adjacencies that use it. */
void router_update_adjacencies(struct ws_router *router, uint16_t index);
/* Give the open port its interface. */
int router_make_port_interface(struct ws_router *router, uint16_t port);
/* The state or link of an interface changed: recompute `usable` of it and of the interfaces on it.
 */
void router_update_usable(struct ws_router *router, uint16_t index);
/* True if the interface may have sub-interfaces. */
bool interface_takes_subs(const struct ws_router *router, uint16_t index);
/* The lowest number that the interface, or one on it, can have. */
uint16_t router_first_on(const struct ws_router *router, uint16_t index);
/* The interface has stopped or begun to route: update promiscuous mode of the ports below it. */
void interface_update_promiscuous(const struct ws_router *router, uint16_t index);
/* Apply the current link states of the ports. */
void router_follow_links(struct ws_router *router);

/* The interface with a connected prefix for the address in that table, or -1. */
int router_connected_interface(const struct ws_router *router, const struct fib_table *table,
							   const struct ws_address *address);
bool router_is_local_address(const struct ws_router *router, const struct fib_table *table,
							 const struct ws_address *address);
