/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Upper layers: the node for packets of an Ethernet type, a protocol, a UDP port or an ICMPv6
 * type. A node registers itself at the foot of its file. The nodes below read this table only
 * for types that they do not compare themselves.
 */
#pragma once

#include <stdint.h>

/* The layer that looks up the node, and the start of its packets' data. */
enum upper_layer {
	ABOVE_ETHERNET, /* ethernet-input, by Ethernet type: the bytes behind the header and its tags */
	ABOVE_IP4,      /* ip4-local, by protocol: the IPv4 header; never of a fragment */
	ABOVE_IP6,      /* ip6-local, by protocol: the IPv6 header, which may have extension headers */
	UPPER_LAYERS
};

/* Numbers for ABOVE_IP4 and ABOVE_IP6 that are not protocols. The length of UDP was checked; for
 * ICMPv6 the checksum too, and its message directly follows the IPv6 header. */
#define UPPER_UDP(port) (0x10000u | (port))
#define UPPER_ICMP6(type) (0x20000u | (type))

/* Edge texts that stand for one edge to each node of the layer. They are last in a list of edges.
 */
#define EDGES_ABOVE_ETHERNET "&above-ethernet"
#define EDGES_ABOVE_IP4 "&above-ip4"
#define EDGES_ABOVE_IP6 "&above-ip6"

enum { UPPER_NONE = UINT16_MAX };

/* Call this before threads run. A node may be registered several times, as its file is for each
 * march level, and for several numbers; of two nodes for a number, the first by name gets it. */
void upper_register(enum upper_layer layer, uint32_t number, const char *node);
/* The position of the number's node among the edges of the layer, or UPPER_NONE. */
uint16_t upper_find(enum upper_layer layer, uint32_t number);

/* Placed at the foot of a node's file; `name` is any identifier, unique per number. */
#define UPPER_NODE(name, layer, number, node)                                                      \
	__attribute__((constructor)) static void upper_node_##name(void)                               \
	{                                                                                              \
		upper_register(layer, number, node);                                                       \
	}
