/* SPDX-License-Identifier: Apache-2.0 */
/* Header formats and checksums; bytes in heap blocks of exact size. */
#include "cmocka_all.h"
#include "wire/address.h"
#include "wire/arp.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/frame_addresses.h"
#include "wire/frame_flow.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"
#include "wire/udp.h"

#include <stdlib.h>

static uint8_t *exact(const void *bytes, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

/* A well-known example header: its checksum is b861. */
static const uint8_t header[IP4_LEN] = {
	0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
	0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7,
};

/* RFC 1071 literally: 16-bit words in network order, end-around carry. */
static uint16_t slow_checksum(const uint8_t *bytes, size_t length)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < length; i++) {
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return htobe16((uint16_t)~sum);
}

static void computes_checksums(void **state)
{
	(void)state;
	uint8_t copy[IP4_LEN];
	assert_int_equal(checksum(header, sizeof(header)), 0);
	memcpy(copy, header, sizeof(copy));
	memset(copy + 10, 0, 2);
	assert_int_equal(be16toh(checksum(copy, sizeof(copy))), 0xb861);
	for (size_t length = 0; length < 300; length++) {
		uint8_t *bytes = malloc(length + 1);
		for (size_t i = 0; i < length; i++)
			bytes[i] = length % 3 ? (uint8_t)(i * 91 + length) : 0xff;
		uint8_t *block = exact(bytes, length);
		assert_int_equal(checksum(block, length), slow_checksum(block, length));
		free(block);
		free(bytes);
	}
}

/* Compared with a new computation, for every old field and extreme words. */
static void updates_checksums(void **state)
{
	(void)state;
	static const uint16_t words[] = {0, 1, 0x00ff, 0x0100, 0x7fff, 0x8000, 0xfffe, 0xffff};
	for (uint32_t other = 0; other < 0x10000; other++)
		for (size_t b = 0; b < 8; b++) {
			/* A header is never all zero, the only case in which 0 and ffff are both valid. */
			uint16_t before[3] = {0x4500, (uint16_t)other, words[b]}, after[3];
			memcpy(after, before, sizeof(after));
			after[2] = words[(b + other) % 8];
			uint16_t updated = checksum_update(checksum(before, 6), before[2], after[2]);
			assert_int_equal(updated, checksum(after, 6));
		}
}

static void decrements_ttl(void **state)
{
	(void)state;
	for (uint32_t id = 0; id < 0x10000; id += 3)
		for (uint32_t ttl = 1; ttl < 256; ttl += 42) {
			struct ip4_header ip, again;
			memcpy(&ip, header, sizeof(ip));
			ip.id = (uint16_t)id;
			ip.ttl = (uint8_t)ttl;
			ip4_set_checksum(&ip);
			ip4_decrement_ttl(&ip);
			again = ip;
			ip4_set_checksum(&again);
			assert_int_equal(ip.ttl, ttl - 1);
			assert_int_equal(ip.checksum, again.checksum);
		}
}

static void checks_ip4(void **state)
{
	(void)state;
	uint8_t packet[0x73] = {0};
	memcpy(packet, header, sizeof(header));
	for (size_t length = 0; length <= sizeof(packet); length++) {
		uint8_t *bytes = exact(packet, length);
		enum ip4_check wanted = length < IP4_LEN          ? IP4_SHORT
								: length < sizeof(packet) ? IP4_TOTAL_LENGTH
														  : IP4_OK;
		assert_int_equal(ip4_check(bytes, length, length), wanted);
		if (length >= IP4_LEN)
			assert_int_equal(ip4_check(bytes, length, sizeof(packet)), IP4_OK);
		free(bytes);
	}
	for (int version = 0; version < 256; version++) {
		packet[0] = (uint8_t)version;
		uint8_t *bytes = exact(packet, IP4_LEN);
		enum ip4_check wanted = version >> 4 != 4      ? IP4_VERSION
								: (version & 0xf) != 5 ? IP4_HEADER_LENGTH
													   : IP4_OK;
		assert_int_equal(ip4_check(bytes, IP4_LEN, sizeof(packet)), wanted);
		free(bytes);
	}
	packet[0] = 0x45;
	packet[19] ^= 1;
	assert_int_equal(ip4_check(packet, sizeof(packet), sizeof(packet)), IP4_CHECKSUM);
}

static void tells_fragments(void **state)
{
	(void)state;
	struct ip4_header ip = {.fragment = htobe16(IP4_DONT_FRAGMENT)};
	assert_false(ip4_is_fragment(&ip));
	ip.fragment = htobe16(IP4_MORE_FRAGMENTS);
	assert_true(ip4_is_fragment(&ip));
	assert_false(ip4_is_later_fragment(&ip));
	ip.fragment = htobe16(1);
	assert_true(ip4_is_fragment(&ip) && ip4_is_later_fragment(&ip));
	assert_int_equal(ip4_mask(0), 0);
	assert_int_equal(ip4_mask(1), 0x80000000);
	assert_int_equal(ip4_mask(24), 0xffffff00);
	assert_int_equal(ip4_mask(32), 0xffffffff);
}

static void parses_and_writes_arp(void **state)
{
	(void)state;
	const struct arp request = {
		.operation = ARP_REQUEST,
		.sender_mac = {2, 0, 0, 0, 0, 7},
		.sender = 0x0a000001,
		.target = 0x0a0000fe,
	};
	uint8_t wire[ARP_LEN + 18] = {0};
	struct arp read;
	arp_write(wire, &request);
	for (size_t length = 0; length <= sizeof(wire); length++) {
		uint8_t *bytes = exact(wire, length);
		assert_int_equal(arp_parse(bytes, length, &read), length < ARP_LEN ? ARP_SHORT : ARP_OK);
		free(bytes);
	}
	assert_memory_equal(&read, &request, sizeof(read));
	assert_int_equal(wire[27], 0xfe);
}

static void parses_the_small_headers(void **state)
{
	(void)state;
	uint8_t zero[16] = {0};
	for (size_t length = 0; length <= sizeof(zero); length++) {
		uint8_t *bytes = exact(zero, length);
		assert_int_equal(ethernet_parse(bytes, length) != NULL, length >= ETHERNET_LEN);
		assert_int_equal(icmp4_parse(bytes, length) != NULL, length >= ICMP4_LEN);
		assert_null(udp_parse(bytes, length, length)); /* a UDP length of 0 */
		free(bytes);
	}
	zero[5] = 12;
	assert_non_null(udp_parse(zero, 8, 12));
	assert_null(udp_parse(zero, 8, 11));
	assert_null(udp_parse(zero, 7, 12));
	assert_true(icmp4_is_error(ICMP4_TIME_EXCEEDED));
	assert_false(icmp4_is_error(ICMP4_ECHO_REQUEST));
}

static void compares_ethernet_addresses(void **state)
{
	(void)state;
	uint8_t frame[ETHERNET_LEN], station[6] = {2, 4, 6, 8, 10, 12}, ones[6];
	memset(ones, 0xff, sizeof(ones));
	ethernet_write(frame, station, ones, ETHERNET_ARP);
	assert_int_equal(ethernet_load_destination(frame), 0x020406080a0c);
	assert_int_equal(ethernet_address_number(station), 0x020406080a0c);
	assert_int_equal(frame[12], 8);
	assert_int_equal(frame[13], 6);
	assert_true(ethernet_is_broadcast(ones) && ethernet_is_group(ones));
	assert_false(ethernet_is_group(station) || ethernet_is_zero(station));
}

static struct ws_prefix prefix4(uint32_t address, uint8_t length)
{
	return (struct ws_prefix){address_of_ip4(address), length};
}

/* An Ethernet header, `tags` VLAN tags, `labels` MPLS labels, and 20 bytes of IPv4 from 1.2.3.4 to
 * 5.6.7.8; returns the length. */
static size_t make_frame(uint8_t *frame, int tags, int labels)
{
	const uint8_t ip[20] = {0x45, [12] = 1, 2, 3, 4, 5, 6, 7, 8};
	size_t at = 12;
	memset(frame, 2, at);
	for (int i = 0; i < tags; i++, at += 4)
		memcpy(frame + at, (uint8_t[]){i ? 0x81 : 0x88, i ? 0 : 0xa8, 0, 7}, 4);
	memcpy(frame + at, labels ? (uint8_t[]){0x88, 0x47} : (uint8_t[]){8, 0}, 2);
	at += 2;
	for (int i = 1; i <= labels; i++, at += 4)
		memcpy(frame + at, (uint8_t[]){0, 1, i == labels, 64}, 4);
	memcpy(frame + at, ip, sizeof(ip));
	return at + sizeof(ip);
}

static void addresses_are_found_behind_tags_and_labels(void **state)
{
	(void)state;
	struct ws_prefix source = prefix4(0x01020304, 32), wide = prefix4(0x05000000, 8);
	struct ws_prefix other = prefix4(0x01020305, 32), six = {{.family = WS_IP6}, 0};
	for (int tags = 0; tags <= 2; tags++)
		for (int labels = 0; labels <= 3; labels++) {
			uint8_t frame[64];
			size_t length = make_frame(frame, tags, labels);
			assert_true(frame_touches(frame, length, &source));
			assert_true(frame_touches(frame, length, &wide));
			assert_false(frame_touches(frame, length, &other));
			assert_false(frame_touches(frame, length, &six));
			/* Truncated at any place, in a block of exactly that size. */
			for (size_t cut = 0; cut < length; cut++) {
				uint8_t *block = malloc(cut ? cut : 1);
				memcpy(block, frame, cut);
				assert_false(frame_touches(block, cut, &wide));
				free(block);
			}
		}
}

static void addresses_of_ip6_are_found(void **state)
{
	(void)state;
	uint8_t frame[54] = {[12] = 0x86, 0xdd, 0x60, [22] = 0x20, 1, [38] = 0x20, 2};
	struct ws_prefix source = {{.family = WS_IP6, .bytes = {0x20, 1}}, 16};
	struct ws_prefix destination = {{.family = WS_IP6, .bytes = {0x20, 2}}, 32};
	struct ws_prefix zero = prefix4(0, 0);
	assert_true(frame_touches(frame, sizeof(frame), &source));
	assert_true(frame_touches(frame, sizeof(frame), &destination));
	assert_false(frame_touches(frame, sizeof(frame), &zero));
	assert_false(frame_touches(frame, sizeof(frame) - 1, &source));
}

/* The frame of make_frame with a UDP header behind it. */
static uint32_t hash_of(int tags, int labels, uint32_t source, uint32_t target, uint16_t sport,
						uint16_t dport, bool is_symmetrical)
{
	uint8_t frame[72];
	size_t at = make_frame(frame, tags, labels) - 20;
	source = htobe32(source), target = htobe32(target), sport = htobe16(sport);
	dport = htobe16(dport);
	frame[at + 9] = 17;
	memcpy(frame + at + 12, &source, 4);
	memcpy(frame + at + 16, &target, 4);
	memcpy(frame + at + 20, &sport, 2);
	memcpy(frame + at + 22, &dport, 2);
	return frame_flow_hash(frame, at + 28, is_symmetrical);
}

static void flows_have_hashes_of_their_own(void **state)
{
	(void)state;
	uint32_t hash = hash_of(0, 0, 1, 2, 3, 4, false), both = hash_of(0, 0, 1, 2, 3, 4, true);
	assert_int_equal(hash_of(2, 3, 1, 2, 3, 4, false), hash);
	assert_int_not_equal(hash_of(0, 0, 1, 2, 3, 5, false), hash);
	assert_int_not_equal(hash_of(0, 0, 1, 3, 3, 4, false), hash);
	assert_int_not_equal(hash_of(0, 0, 2, 1, 4, 3, false), hash);
	assert_int_equal(hash_of(1, 0, 2, 1, 4, 3, true), both);
	assert_int_not_equal(hash_of(0, 0, 1, 2, 3, 5, true), both);
	/* Consecutive sources fill eight shares evenly. */
	uint32_t shares[8] = {0};
	for (uint32_t i = 0; i < 8000; i++)
		shares[(uint64_t)hash_of(0, 0, 0x10000000 + i, 0x30000001, 1025, 12, false) * 8 >> 32]++;
	for (int i = 0; i < 8; i++)
		assert_in_range(shares[i], 850, 1150);
}

/* The fast path for plain frames gives the hash of the general path. */
static void plain_frames_hash_as_others(void **state)
{
	(void)state;
	uint8_t frame[64];
	size_t length = make_frame(frame, 0, 0) + 4;
	memcpy(frame + length - 4, (uint8_t[]){1, 2, 3, 4}, 4);
	frame[14] = 0x45;
	for (int protocol = 0; protocol < 256; protocol++) {
		frame[14 + 9] = (uint8_t)protocol;
		assert_int_equal(frame_is_plain(frame, length), protocol == 6 || protocol == 17);
		for (int both = 0; both < 2; both++)
			assert_int_equal(frame_flow_hash(frame, length, both),
							 frame_flow_hash_any(frame, length, both));
	}
	frame[14 + 9] = 17;
	for (size_t cut = 0; cut < length; cut++) {
		uint8_t *block = exact(frame, cut);
		assert_false(frame_is_plain(block, cut));
		free(block);
	}
	for (int bit = 0; bit < 16; bit++) {
		frame[14 + 6] = (uint8_t)(1 << bit >> 8), frame[14 + 7] = (uint8_t)(1 << bit);
		/* All bits but "do not fragment" and the reserved one make it a fragment. */
		assert_int_equal(frame_is_plain(frame, length), bit >= 14);
	}
	frame[14 + 6] = frame[14 + 7] = 0;
	frame[14] = 0x46;
	assert_false(frame_is_plain(frame, length));
}

static void fragments_hash_without_ports(void **state)
{
	(void)state;
	uint8_t frame[64];
	size_t length = make_frame(frame, 0, 0);
	memset(frame + length, 7, 8);
	frame[14 + 9] = 17;
	uint32_t whole = frame_flow_hash(frame, length + 8, false);
	frame[14 + 6] = 0x20; /* more fragments */
	uint32_t first = frame_flow_hash(frame, length + 8, false);
	frame[14 + 7] = 5;
	memset(frame + length, 9, 8);
	assert_int_equal(frame_flow_hash(frame, length + 8, false), first);
	assert_int_not_equal(first, whole);
	for (size_t cut = 0; cut < length; cut++) {
		uint8_t *block = exact(frame, cut);
		assert_int_equal(frame_flow_hash(block, cut, false), 0);
		free(block);
	}
	/* A header length that leaves no room for ports. */
	frame[14] = 0x4f;
	frame[14 + 6] = frame[14 + 7] = 0;
	uint8_t *block = exact(frame, length + 3);
	assert_int_not_equal(frame_flow_hash(block, length + 3, true), 0);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_checksums),
		cmocka_unit_test(updates_checksums),
		cmocka_unit_test(decrements_ttl),
		cmocka_unit_test(checks_ip4),
		cmocka_unit_test(tells_fragments),
		cmocka_unit_test(parses_and_writes_arp),
		cmocka_unit_test(parses_the_small_headers),
		cmocka_unit_test(compares_ethernet_addresses),
		cmocka_unit_test(addresses_are_found_behind_tags_and_labels),
		cmocka_unit_test(addresses_of_ip6_are_found),
		cmocka_unit_test(flows_have_hashes_of_their_own),
		cmocka_unit_test(plain_frames_hash_as_others),
		cmocka_unit_test(fragments_hash_without_ports),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
