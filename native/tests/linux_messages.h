/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of rtnetlink in the kernel's format, for tests of parsers. */
#pragma once

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdint.h>

struct route_spec {
	uint8_t family; /* 0: AF_INET */
	const char *prefix;
	uint8_t length;
	uint32_t metric, table; /* table 0: main */
	uint8_t type, protocol; /* 0: unicast and static */
	uint16_t flags;         /* NLM_F_… */
	uint32_t nexthop;       /* the referenced object, 0: none */
	struct {
		int32_t link;
		const char *gateway; /* NULL: none */
		uint8_t hops, flags;
		uint32_t label; /* label to push, 0: none */
	} paths[4];
};

/* An object: a group if it has members, otherwise a next hop, or none (`link` 0: a blackhole). */
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
	uint8_t stack; /* number of labels in RTA_DST; 0: 1 */
	struct {
		int32_t link;
		const char *via;     /* NULL: none */
		uint32_t labels[10]; /* labels to push, up to the first 0 */
	} paths[4];
};

/* All return the message, in a buffer that the next call overwrites. */
const struct nlmsghdr *route_message(uint16_t type, const struct route_spec *spec);
const struct nlmsghdr *nexthop_message(uint16_t type, const struct nexthop_spec *spec);
const struct nlmsghdr *label_message(uint16_t type, const struct label_spec *spec);
const struct nlmsghdr *link_message(uint16_t type, int32_t link, const char *name, bool is_up);
const struct nlmsghdr *vlan_message(int32_t link, int32_t parent, uint16_t id);
const struct nlmsghdr *address_message(uint16_t type, int32_t link, const char *address,
									   uint8_t length);
const struct nlmsghdr *neighbor_message(uint16_t type, int32_t link, const char *address,
										uint16_t state);
