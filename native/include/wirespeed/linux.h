/* SPDX-License-Identifier: Apache-2.0 */
/* Linux control plane of a router: the state of one network namespace, read through rtnetlink. */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/*
 * Pair interface `index` with TAP port `host`: packets of the interface that the router does not
 * forward go to Linux through the TAP, and packets from Linux leave through the interface. A
 * sub-interface uses its port's host.
 */
int ws_router_lcp_pair(struct ws_router *router, uint16_t index, uint16_t host);
int ws_router_lcp_unpair(struct ws_router *router, uint16_t index);

struct ws_linux;

struct ws_linux_link {
	int32_t index, parent; /* parent of a VLAN */
	char name[16];
	char kind[16]; /* tun, vlan, veth …, or empty */
	bool is_up;    /* administratively up */
	uint32_t mtu;
	uint8_t mac[6];
	uint16_t vlan_id, vlan_protocol; /* kind vlan: 0x8100 or 0x88a8 */
};

struct ws_linux_address {
	int32_t link;
	struct ws_prefix prefix;
};

struct ws_linux_stats {
	uint64_t messages;     /* parsed */
	uint64_t overflows;    /* the kernel dropped messages: everything was read again */
	uint64_t dumps;        /* complete dumps, each of one kind of object */
	uint64_t failed_dumps; /* refused, interrupted or incomplete: repeated, without any conclusion
							  from it */
	uint64_t rejected;     /* routes and neighbours that the router refused */
	uint64_t routes;     /* kernel routes through paired links, and blackhole and similar routes */
	uint64_t labels;     /* labels with kernel routes of these kinds */
	bool is_syncing;     /* a dump is running or due */
	char rejection[256]; /* reason of the last rejection */
};

/*
 * Listen in the namespace (its name, a path, or "" for the current one) and begin to read its
 * state. Routes and neighbours of paired links are applied to the router during polls; links and
 * addresses are for the caller. NULL on failure.
 */
struct ws_linux *ws_linux_open(struct ws_router *router, const char *netns);
/* `withdraw`: remove the routes that came from there from the router. */
void ws_linux_close(struct ws_linux *linux_host, bool withdraw);
/* Readable when ws_linux_poll has something to read. */
int ws_linux_fd(struct ws_linux *linux_host);

enum ws_linux_change { WS_LINUX_LINKS = 1, WS_LINUX_ADDRESSES = 2, WS_LINUX_MORE = 4 };

/*
 * Read some of the waiting messages. Call it while the descriptor is readable, and once per second.
 * Returns bits of enum ws_linux_change: what has changed, and whether many messages are left.
 */
int ws_linux_poll(struct ws_linux *linux_host);
/* Pair link `link` with the interface, or (-1) with none. All state is read again. */
int ws_linux_pair(struct ws_linux *linux_host, int32_t link, int32_t interface);
/* Both return the total number and write at most `max`. */
int ws_linux_links(struct ws_linux *linux_host, struct ws_linux_link *out, uint32_t max);
int ws_linux_addresses(struct ws_linux *linux_host, struct ws_linux_address *out, uint32_t max);
void ws_linux_stats(struct ws_linux *linux_host, struct ws_linux_stats *out);

/* Requests, completed or refused when they return. Links are given by their numbers. */
int ws_linux_link_index(struct ws_linux *linux_host, const char *name);
int ws_linux_set_state(struct ws_linux *linux_host, int32_t link, bool up);
int ws_linux_set_mtu(struct ws_linux *linux_host, int32_t link, uint32_t mtu);
int ws_linux_set_mac(struct ws_linux *linux_host, int32_t link, const uint8_t *mac);
/* An address that already exists, or is already gone, is not an error. */
int ws_linux_address_add(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix);
int ws_linux_address_del(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix);
/* Make a VLAN interface on `parent`, of protocol 0x8100 or 0x88a8; returns its number. */
int ws_linux_vlan_add(struct ws_linux *linux_host, const char *name, int32_t parent,
					  uint16_t protocol, uint16_t id);
int ws_linux_link_delete(struct ws_linux *linux_host, int32_t link);
