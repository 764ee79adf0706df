/* SPDX-License-Identifier: Apache-2.0 */
/* Linux beside a router: the state of one network namespace, read by rtnetlink. */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/*
 * Interface `index` and TAP port `host` become a pair: what the router does not forward of the one
 * goes to Linux by the other, and comes back that way. A sub-interface's host is its port's.
 */
int ws_router_lcp_pair(struct ws_router *router, uint16_t index, uint16_t host);
int ws_router_lcp_unpair(struct ws_router *router, uint16_t index);

struct ws_linux;

struct ws_linux_link {
	int32_t index, parent; /* parent: of a VLAN, the link that it is on */
	char name[16];
	char kind[16]; /* tun, vlan, veth …, or empty */
	bool is_up;    /* the administrator's wish */
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
	uint64_t overflows;    /* the kernel dropped messages: all was read again */
	uint64_t dumps;        /* complete dumps, each of one kind of object */
	uint64_t failed_dumps; /* refused, broken off or incomplete: made again, nothing concluded */
	uint64_t rejected;     /* routes and neighbours that the router did not take */
	uint64_t routes; /* routes of the kernel through paired links, and blackholes and the like */
	uint64_t labels; /* that have routes of the kernel's, likewise */
	bool is_syncing; /* a dump is running or due */
	char rejection[256]; /* why the last one was rejected */
};

/*
 * Listen in the namespace (its name, a path, or "" for this one), and begin to read all of it.
 * Routes and neighbours of paired links go to the router by themselves, as it is polled; links and
 * addresses are for the caller to look at. NULL on failure.
 */
struct ws_linux *ws_linux_open(struct ws_router *router, const char *netns);
/* `withdraw`: take the routes that came from there out of the router. */
void ws_linux_close(struct ws_linux *linux_host, bool withdraw);
/* Readable when there is something to poll for. */
int ws_linux_fd(struct ws_linux *linux_host);

enum ws_linux_change { WS_LINUX_LINKS = 1, WS_LINUX_ADDRESSES = 2, WS_LINUX_MORE = 4 };

/*
 * Take in some of what there is; call it again while the descriptor is readable, and once a second.
 * Returns bits of enum ws_linux_change: what to look at again, and whether much is left to take in.
 */
int ws_linux_poll(struct ws_linux *linux_host);
/* Link `link` stands for the interface from now on, or (-1) for none. All is read again. */
int ws_linux_pair(struct ws_linux *linux_host, int32_t link, int32_t interface);
/* Both return how many there are, and write at most `max`. */
int ws_linux_links(struct ws_linux *linux_host, struct ws_linux_link *out, uint32_t max);
int ws_linux_addresses(struct ws_linux *linux_host, struct ws_linux_address *out, uint32_t max);
void ws_linux_stats(struct ws_linux *linux_host, struct ws_linux_stats *out);

/* Requests, done or refused when they return. Links are named by their numbers. */
int ws_linux_link_index(struct ws_linux *linux_host, const char *name);
int ws_linux_set_state(struct ws_linux *linux_host, int32_t link, bool up);
int ws_linux_set_mtu(struct ws_linux *linux_host, int32_t link, uint32_t mtu);
int ws_linux_set_mac(struct ws_linux *linux_host, int32_t link, const uint8_t *mac);
/* An address that is there, or is gone, already is no failure. */
int ws_linux_address_add(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix);
int ws_linux_address_del(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix);
/* A VLAN interface on `parent`, of protocol 0x8100 or 0x88a8; returns its number. */
int ws_linux_vlan_add(struct ws_linux *linux_host, const char *name, int32_t parent,
					  uint16_t protocol, uint16_t id);
int ws_linux_link_delete(struct ws_linux *linux_host, int32_t link);
