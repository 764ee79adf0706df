/* SPDX-License-Identifier: Apache-2.0 */
/* Every parser over the input as it is, and what must hold of what it accepts. */
#include "fuzz/fuzz.h"
#include "wire/arp.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"
#include "wire/udp.h"

#include <stdlib.h>

static void check_ip4(const uint8_t *bytes, size_t size)
{
	uint8_t copy[IP4_MAX_LEN];
	if (ip4_check(bytes, size, size) != IP4_OK)
		return;
	const struct ip4_header *ip = (const void *)bytes;
	uint16_t header = ip4_header_length(ip), total = be16toh(ip->total_length);
	FUZZ_ASSERT(header >= IP4_LEN && header <= total && total <= size);
	memcpy(copy, bytes, header);
	struct ip4_header *changed = (void *)copy;
	if (changed->ttl) {
		ip4_decrement_ttl(changed);
		FUZZ_ASSERT(!checksum(copy, header));
	}
	ip4_set_checksum(changed);
	FUZZ_ASSERT(!checksum(copy, header));
	const struct udp_header *udp = udp_parse(bytes + header, size - header, total - header);
	if (udp)
		FUZZ_ASSERT(be16toh(udp->length) <= total - header);
	const struct icmp4_header *icmp = icmp4_parse(bytes + header, size - header);
	if (icmp)
		icmp4_is_error(icmp->type);
}

static void check_arp(const uint8_t *bytes, size_t size)
{
	struct arp arp;
	uint8_t again[ARP_LEN];
	if (arp_parse(bytes, size, &arp) != ARP_OK)
		return;
	FUZZ_ASSERT(arp.operation == ARP_REQUEST || arp.operation == ARP_REPLY);
	arp_write(again, &arp);
	FUZZ_ASSERT(!memcmp(again, bytes, sizeof(again)));
}

static void check_checksum(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < size; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	FUZZ_ASSERT(checksum(bytes, size) == htobe16((uint16_t)~sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A block of its own, so that reading past the end is seen. */
	uint8_t *bytes = malloc(size ? size : 1);
	memcpy(bytes, data, size);
	const struct ethernet_header *ethernet = ethernet_parse(bytes, size);
	if (ethernet)
		ethernet_load_destination(ethernet->destination);
	check_ip4(bytes, size);
	check_arp(bytes, size);
	if (size < 65536)
		check_checksum(bytes, size);
	free(bytes);
	return 0;
}
