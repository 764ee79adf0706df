/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of rtnetlink, as the kernel writes them, for tests of what reads them. */
#pragma once

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdint.h>

struct route_spec {
	uint8_t family; /* AF_INET unless given */
	const char *prefix;
	uint8_t length;
	uint32_t metric, table; /* table: main unless given */
	uint8_t type, protocol; /* unicast and static unless given */
	uint16_t flags;         /* NLM_F_… */
	uint32_t nexthop;       /* the object that it names, 0: none */
	struct {
		int32_t link;
		const char *gateway; /* NULL: none */
		uint8_t hops, flags;
		uint32_t label; /* pushed, 0: none */
	} paths[4];
};

/* An object: a group where it has members, else a next hop, or none (`link` 0: a blackhole). */
struct nexthop_spec {
	uint32_t id;
	int32_t link;
	const char *gateway;
	struct {
		uint32_t id;
		uint16_t weight;
	} members[4];
};

/* The route of a label. */
struct label_spec {
	uint32_t label;
	uint8_t stack; /* of labels that it has in RTA_DST, 1 unless given */
	struct {
		int32_t link;
		const char *via;     /* NULL: none */
		uint32_t labels[10]; /* in its place, up to the first 0 */
	} paths[4];
};

/* All return the message, in a buffer that the next call writes over. */
const struct nlmsghdr *route_message(uint16_t type, const struct route_spec *spec);
const struct nlmsghdr *nexthop_message(uint16_t type, const struct nexthop_spec *spec);
const struct nlmsghdr *label_message(uint16_t type, const struct label_spec *spec);
const struct nlmsghdr *link_message(uint16_t type, int32_t link, const char *name, bool is_up);
const struct nlmsghdr *vlan_message(int32_t link, int32_t parent, uint16_t id);
const struct nlmsghdr *address_message(uint16_t type, int32_t link, const char *address,
									   uint8_t length);
const struct nlmsghdr *neighbor_message(uint16_t type, int32_t link, const char *address,
										uint16_t state);
