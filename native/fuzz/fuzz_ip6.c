/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame into the router's IPv6 path. The first byte of the input gives what is corrected first
 * (1: the Ethernet header, 2: version and payload length, 4: the packet is one that the router
 * forwards, 8: it is to the router); the second is the length of the frame's buffers (0: one
 * buffer); the rest is the frame.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/ethernet.h"
#include "wire/ip6.h"

enum { FIX_ETHERNET = 1, FIX_LENGTH = 2, FIX_FORWARD = 4, FIX_LOCAL = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct router_target_input input;
	if (!router_target_take(data, size, &input))
		return 0;
	struct ip6_header *ip = (void *)(input.frame.bytes + ETHERNET_LEN);
	if (input.frame.length >= ETHERNET_LEN && input.fixes & FIX_ETHERNET)
		ethernet_write(input.frame.bytes, rig_mac[0], rig_host[0], ETHERNET_IP6);
	bool is_whole = input.frame.length >= ETHERNET_LEN + IP6_LEN;
	if (is_whole && input.fixes & FIX_LENGTH) {
		input.frame.bytes[ETHERNET_LEN] = 0x60;
		ip->payload_length = htobe16((uint16_t)(input.frame.length - ETHERNET_LEN - IP6_LEN));
	}
	if (is_whole && input.fixes & (FIX_FORWARD | FIX_LOCAL)) {
		uint8_t network = input.fixes & FIX_LOCAL ? 0 : 0x48 | (ip->destination[5] & 2);
		struct ws_address from = ROUTER_TARGET_IP6(0, 2), to = ROUTER_TARGET_IP6(network, 1);
		memcpy(ip->source, from.bytes, sizeof(ip->source));
		memcpy(ip->destination, to.bytes, sizeof(ip->destination));
	}
	router_target_send(input.frame.bytes, input.frame.length, input.piece);
	return 0;
}
