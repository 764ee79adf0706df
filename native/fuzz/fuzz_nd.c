/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message of neighbour discovery into the router: learning, replies, and the resulting
 * neighbours. The first byte of the input gives the ICMPv6 type's last two bits (1: RS, 2: RA, 3:
 * NS, 0: NA), with 4: to the solicited-node group, 8: from the unspecified address; the rest is the
 * message behind type, code and checksum.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/ethernet.h"
#include "wire/nd.h"

enum { TO_GROUP = 4, FROM_NOBODY = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ws_address from = ROUTER_TARGET_IP6(0, 7), to = ROUTER_TARGET_IP6(0, 1);
	struct frame frame = {0};
	if (size < 1 || size > 512)
		return 0;
	uint16_t length = (uint16_t)(size - 1 + 4);
	uint8_t mac[6];
	memcpy(mac, rig_mac[0], sizeof(mac));
	if (data[0] & FROM_NOBODY)
		memset(from.bytes, 0, sizeof(from.bytes));
	if (data[0] & TO_GROUP) {
		ip6_solicited_node(to.bytes, to.bytes);
		ip6_multicast_mac(mac, to.bytes);
	}
	frame.length = ETHERNET_LEN + IP6_LEN + (size_t)length;
	ethernet_write(frame.bytes, mac, rig_host[0], ETHERNET_IP6);
	ip6_write(frame.bytes + ETHERNET_LEN, length, IP6_ICMP, ND_HOP_LIMIT, from.bytes, to.bytes);
	frame.bytes[ETHERNET_LEN + IP6_LEN] = (uint8_t)(132 + (data[0] & 3 ? data[0] & 3 : 4));
	memcpy(frame.bytes + ETHERNET_LEN + IP6_LEN + 4, data + 1, size - 1);
	if (length >= ICMP6_LEN)
		icmp6_set_checksum(frame.bytes + ETHERNET_LEN);
	router_target_send(frame.bytes, frame.length, sizeof(frame.bytes));

	struct ws_neighbor neighbors[64];
	int count = ws_router_neighbors(rig_router, 0, neighbors, 64);
	for (int i = 0; i < count; i++) {
		FUZZ_ASSERT(neighbors[i].state == WS_NEIGHBOR_INCOMPLETE ||
					!ethernet_is_group(neighbors[i].mac));
		FUZZ_ASSERT(neighbors[i].state != WS_NEIGHBOR_STATIC ||
					!memcmp(neighbors[i].mac, rig_host[neighbors[i].interface], 6));
	}
	return 0;
}
