/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame into the router's IPv4 path.
 *
 * The first byte of the input says what is made right first (1: the Ethernet header, 2: the IPv4
 * header's checksum, 4: it is one that the router forwards), the second how long the buffers are in
 * which it lies (0: one buffer), the rest is the frame.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

enum { FIX_ETHERNET = 1, FIX_CHECKSUM = 2, FIX_ADDRESSES = 4 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	router_target_start();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame frame;
	if (size < 2 || size - 2 > sizeof(frame.bytes))
		return 0;
	uint8_t fixes = data[0];
	frame.length = size - 2;
	memcpy(frame.bytes, data + 2, frame.length);
	struct ip4_header *ip = (void *)(frame.bytes + ETHERNET_LEN);
	if (frame.length >= ETHERNET_LEN && fixes & FIX_ETHERNET)
		ethernet_write(frame.bytes, rig_mac[0], rig_host[0], ETHERNET_IP4);
	if (frame.length >= ETHERNET_LEN + IP4_LEN && fixes & FIX_ADDRESSES) {
		ip->source = htobe32(IP(10, 0, 0, 2));
		ip->destination = htobe32(IP(48, 0, 0, 1) | (be32toh(ip->destination) & 0x02000000));
	}
	if (frame.length >= ETHERNET_LEN + IP4_MAX_LEN && fixes & FIX_CHECKSUM)
		ip4_set_checksum(ip);
	router_target_send(frame.bytes, frame.length, data[1] ? data[1] : sizeof(frame.bytes));
	return 0;
}
