/* SPDX-License-Identifier: Apache-2.0 */
/* Header formats and checksums; bytes in heap blocks of their exact size. */
#include "cmocka_all.h"
#include "wire/arp.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
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

/* The header of RFC 1071's kind that textbooks work through: its checksum is b861. */
static const uint8_t header[IP4_LEN] = {
	0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
	0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7,
};

/* RFC 1071 by its letter: 16-bit words in network order, end-around carry. */
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

/* Against computing it anew, for every old field and words at the edges. */
static void updates_checksums(void **state)
{
	(void)state;
	static const uint16_t words[] = {0, 1, 0x00ff, 0x0100, 0x7fff, 0x8000, 0xfffe, 0xffff};
	for (uint32_t other = 0; other < 0x10000; other++)
		for (size_t b = 0; b < 8; b++) {
			/* A header is never all zero, which is what 0 and ffff stand for at once. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_checksums),       cmocka_unit_test(updates_checksums),
		cmocka_unit_test(decrements_ttl),           cmocka_unit_test(checks_ip4),
		cmocka_unit_test(tells_fragments),          cmocka_unit_test(parses_and_writes_arp),
		cmocka_unit_test(parses_the_small_headers), cmocka_unit_test(compares_ethernet_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
