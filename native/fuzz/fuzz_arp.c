/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame into the router's ARP: learning, replies, and the resulting neighbours. The first byte of
 * the input gives what is corrected first (1: the Ethernet header, 2: ARP's fixed fields, 4: the
 * sender is on the subnet); the rest is the frame.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/arp.h"
#include "wire/ethernet.h"

enum { FIX_ETHERNET = 1, FIX_FIELDS = 2, FIX_SENDER = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t fields[] = {0, 1, 8, 0, 6, 4, 0}, subnet[] = {10, 0, 0};
	struct frame frame;
	if (size < 1 || size - 1 > sizeof(frame.bytes))
		return 0;
	frame.length = size - 1;
	memcpy(frame.bytes, data + 1, frame.length);
	uint8_t *arp = frame.bytes + ETHERNET_LEN;
	if (frame.length >= ETHERNET_LEN && data[0] & FIX_ETHERNET)
		ethernet_write(frame.bytes, rig_mac[0], rig_host[0], ETHERNET_ARP);
	if (frame.length >= ETHERNET_LEN + ARP_LEN && data[0] & FIX_FIELDS) {
		memcpy(arp, fields, sizeof(fields));
		memcpy(arp + 8, frame.bytes + 6, ETHERNET_ADDRESS_LEN);
	}
	if (frame.length >= ETHERNET_LEN + ARP_LEN && data[0] & FIX_SENDER)
		memcpy(arp + 14, subnet, sizeof(subnet));
	router_target_send(frame.bytes, frame.length, sizeof(frame.bytes));

	struct ws_neighbor neighbors[64];
	int count = ws_router_neighbors(rig_router, 0, neighbors, 64);
	for (int i = 0; i < count; i++) {
		FUZZ_ASSERT(neighbors[i].state == WS_NEIGHBOR_INCOMPLETE ||
					!ethernet_is_group(neighbors[i].mac));
		FUZZ_ASSERT(neighbors[i].address.family == WS_IP6 ||
					address_ip4(&neighbors[i].address) >> 16 == IP(10, 0, 0, 0) >> 16);
	}
	return 0;
}
