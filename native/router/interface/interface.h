/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces: what workers read of them, and the changes that others make. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct fib_table;
struct vlan_table;
struct ws_router;

/* Never the destination of a frame: what `l3_mac` of an interface that takes no L3 holds. */
#define INTERFACE_NO_MAC UINT64_MAX

struct address_list {
	uint16_t count; /* that are used, which come first */
	uint16_t given; /* with those that wait for duplicate address detection, or did not pass it */
	struct ws_prefix at[WS_MAX_ADDRESSES]; /* host bits and all */
};

/*
 * An interface for workers. Numbers below WS_MAX_PORTS are ports, the others sub-interfaces,
 * loopbacks, tunnels and bonds. A missing interface is down and has no addresses.
 */
struct interface {
	uint64_t l3_mac; /* its MAC as a number while it is up and in L3 mode, else INTERFACE_NO_MAC */
	struct vlan_table *vlans;       /* port with sub-interfaces, else NULL */
	struct address_list *addresses; /* its own or those it uses; never NULL */
	uint8_t mac[6];
	uint16_t mtu;
	uint16_t output; /* which of "*-output": its port's, or one of those behind them */
	bool admin_up;
	bool usable;    /* admin_up, and there is a link */
	uint8_t mode;   /* enum ws_interface_mode */
	bool takes_all; /* up, in an L2 mode, and without sub-interfaces */
	bool is_exact;  /* a sub-interface that takes its tags and no more */
	bool is_unnumbered;
	uint8_t tag_len; /* 0, 4 or 8: of the tags of a sub-interface, as they are in its frames */
	uint8_t tags[8];
	bool is_lcp_host;  /* the TAP of a pair: what it brings goes out of `lcp` */
	uint16_t lcp;      /* the pair's other interface (for a VLAN its port's TAP), or LCP_NONE */
	bool mpls;         /* takes labelled packets */
	bool is_bvi;       /* its packets go to layer 2 */
	uint16_t table[2]; /* by family_index: where its packets are looked up */
} __attribute__((aligned(64)));

/* The main thread changes the following while workers read. */
static inline bool interface_is_up(const struct interface *interface)
{
	return __atomic_load_n(&interface->admin_up, __ATOMIC_RELAXED);
}

/* The table that its packets are looked up in; `family` is a family_index. */
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

/* An interface that Linux has no part in. */
enum { LCP_NONE = UINT16_MAX };

/* The places in "*-output": those of the ports, then one for each kind of interfaces. */
enum { INTERFACE_KINDS = 8, OUTPUTS = WS_MAX_PORTS + INTERFACE_KINDS };

/* -EINVAL, with its line, of a member of a bond, which is for nothing else. */
int interface_check_free(const struct ws_router *router, uint16_t index);
/* The longest packet that the interface's port carries now. */
uint16_t interface_carries(const struct ws_router *router, uint16_t index);
/* ws_router_set_mac, of members of bonds too. */
int interface_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac);
/* Its admin state, mode, MAC address or the presence of sub-interfaces changed. */
void router_publish_mac(struct interface *interface);
/* Have what is sent by the interface follow its MAC address and MTU. */
void router_update_adjacencies(struct ws_router *router, uint16_t index);
/* Give the open port its interface. */
int router_make_port_interface(struct ws_router *router, uint16_t port);
/* The state or link of an interface changed: work out which are usable, itself and those on it. */
void router_update_usable(struct ws_router *router, uint16_t index);
/* True if the interface may have sub-interfaces. */
bool interface_takes_subs(const struct ws_router *router, uint16_t index);
/* The lowest number that it, or what is on it, may have. */
uint16_t router_first_on(const struct ws_router *router, uint16_t index);
/* It routes no longer, or again: the ports that it is on may have to take all frames. */
void interface_update_promiscuous(const struct ws_router *router, uint16_t index);
/* Follow the links of the ports. */
void router_follow_links(struct ws_router *router);

/* The interface in that table with a connected prefix over the address, or -1. */
int router_connected_interface(const struct ws_router *router, const struct fib_table *table,
							   const struct ws_address *address);
bool router_is_local_address(const struct ws_router *router, const struct fib_table *table,
							 const struct ws_address *address);
