/* SPDX-License-Identifier: Apache-2.0 */
/* Every parser on the unchanged input, and invariants of accepted inputs. */
#include "fuzz/fuzz.h"
#include "wire/arp.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/frame_kind.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/nd.h"
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

static void check_ip6(const uint8_t *bytes, size_t size)
{
	struct ip6_upper upper;
	if (ip6_check(bytes, size, size) != IP6_OK)
		return;
	const struct ip6_header *ip = (const void *)bytes;
	size_t whole = IP6_LEN + (size_t)be16toh(ip->payload_length);
	FUZZ_ASSERT(whole <= size);
	if (ip6_find_upper(bytes, whole, &upper) == IP6_WALK_LONG)
		return;
	FUZZ_ASSERT(upper.offset >= IP6_LEN && upper.offset <= whole);
	FUZZ_ASSERT(bytes[upper.named_at] == upper.protocol);
	FUZZ_ASSERT(upper.is_fragment || !upper.is_later_fragment);
}

static void check_nd(const uint8_t *bytes, size_t size)
{
	struct nd_message message, again;
	uint8_t wire[ND_NEIGHBOR_MESSAGE_LEN];
	if (nd_parse(bytes, size, &message) != ND_OK)
		return;
	if (size >= 32)
		nd_check_addresses(&message, bytes, bytes + 16);
	bool is_neighbor =
		message.type == ICMP6_NEIGHBOR_SOLICITATION || message.type == ICMP6_NEIGHBOR_ADVERTISEMENT;
	if (!is_neighbor || !message.has_mac)
		return;
	nd_write(wire, &message);
	FUZZ_ASSERT(nd_parse(wire, sizeof(wire), &again) == ND_OK);
	FUZZ_ASSERT(!memcmp(&message, &again, sizeof(again)));
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

static void check_kind(const uint8_t *bytes, size_t size)
{
	enum frame_kind kind = frame_kind(bytes, size, size);
	if (size >= FRAME_LOOK_LEN && frame_looks_ordinary(bytes))
		FUZZ_ASSERT(kind == FRAME_ORDINARY);
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
	/* A block of exact size, so that reads beyond the end are found. */
	uint8_t *bytes = malloc(size ? size : 1);
	memcpy(bytes, data, size);
	const struct ethernet_header *ethernet = ethernet_parse(bytes, size);
	if (ethernet)
		ethernet_load_destination(ethernet->destination);
	check_ip4(bytes, size);
	check_ip6(bytes, size);
	check_nd(bytes, size);
	check_arp(bytes, size);
	check_kind(bytes, size);
	if (size < 65536)
		check_checksum(bytes, size);
	free(bytes);
	return 0;
}
