/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame into the router's IPv4 path. The first byte of the input gives what is corrected first
 * (1: the Ethernet header, 2: the IPv4 header's checksum, 4: the packet is one that the router
 * forwards); the second is the length of the frame's buffers (0: one buffer); the rest is the
 * frame.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

enum { FIX_ETHERNET = 1, FIX_CHECKSUM = 2, FIX_ADDRESSES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct router_target_input input;
	if (!router_target_take(data, size, &input))
		return 0;
	struct ip4_header *ip = (void *)(input.frame.bytes + ETHERNET_LEN);
	if (input.frame.length >= ETHERNET_LEN && input.fixes & FIX_ETHERNET)
		ethernet_write(input.frame.bytes, rig_mac[0], rig_host[0], ETHERNET_IP4);
	if (input.frame.length >= ETHERNET_LEN + IP4_LEN && input.fixes & FIX_ADDRESSES) {
		ip->source = htobe32(IP(10, 0, 0, 2));
		ip->destination = htobe32(IP(48, 0, 0, 1) | (be32toh(ip->destination) & 0x02000000));
	}
	if (input.frame.length >= ETHERNET_LEN + IP4_MAX_LEN && input.fixes & FIX_CHECKSUM)
		ip4_set_checksum(ip);
	router_target_send(input.frame.bytes, input.frame.length, input.piece);
	return 0;
}
