/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6, ICMPv6 and neighbour discovery; bytes in heap blocks of exact size. */
#include "cmocka_all.h"
#include "wire/icmp6.h"
#include "wire/ip6.h"
#include "wire/nd.h"

#include <stdlib.h>

static uint8_t *exact(const void *bytes, size_t length)
{
	uint8_t *copy = calloc(1, length ? length : 1);
	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

static const uint8_t address_a[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
static const uint8_t address_b[16] = {0xfe, 0x80, [8] = 2, [11] = 0xff, 0xfe, 1, 2, 3};
static const uint8_t mac[6] = {0, 0, 0, 1, 2, 3};

static void checks_ip6(void **state)
{
	(void)state;
	uint8_t packet[IP6_LEN + 20] = {0};
	ip6_write(packet, 20, IP6_UDP, 64, address_a, address_b);
	for (size_t length = 0; length <= sizeof(packet); length++) {
		uint8_t *bytes = exact(packet, length);
		enum ip6_check wanted = length < IP6_LEN          ? IP6_SHORT
								: length < sizeof(packet) ? IP6_LENGTH
														  : IP6_OK;
		assert_int_equal(ip6_check(bytes, length, length), wanted);
		if (length >= IP6_LEN)
			assert_int_equal(ip6_check(bytes, length, sizeof(packet)), IP6_OK);
		free(bytes);
	}
	for (int version = 0; version < 16; version++) {
		packet[0] = (uint8_t)(version << 4);
		assert_int_equal(ip6_check(packet, sizeof(packet), sizeof(packet)),
						 version == 6 ? IP6_OK : IP6_VERSION);
	}
	const struct ip6_header *ip = (const void *)packet;
	assert_memory_equal(ip->source, address_a, 16);
	assert_memory_equal(ip->destination, address_b, 16);
	assert_int_equal(packet[5], 20);
	assert_int_equal(packet[7], 64);
}

/* Walk a chain of headers: the type of the first one, then the bytes of `chain`. */
static enum ip6_walk walk(uint8_t first, const void *chain, size_t length, struct ip6_upper *upper)
{
	uint8_t packet[IP6_LEN + 1024] = {0x60, [6] = first};
	memcpy(packet + IP6_LEN, chain, length);
	uint8_t *bytes = exact(packet, IP6_LEN + length);
	enum ip6_walk result = ip6_find_upper(bytes, IP6_LEN + length, upper);
	free(bytes);
	return result;
}

static void walks_extension_headers(void **state)
{
	(void)state;
	struct ip6_upper upper;
	assert_int_equal(walk(IP6_UDP, "", 0, &upper), IP6_WALK_OK);
	assert_int_equal(upper.protocol, IP6_UDP);
	assert_int_equal(upper.offset, 40);
	assert_int_equal(upper.named_at, 6);
	assert_false(upper.is_fragment);

	/* Hop-by-hop of 8 bytes, routing of 24, authentication of 12, then destination options of 8. */
	uint8_t chain[52] = {IP6_ROUTING, 0};
	chain[8] = IP6_AUTHENTICATION;
	chain[9] = 2;
	chain[32] = IP6_DESTINATION_OPTIONS;
	chain[33] = 1;
	chain[44] = IP6_TCP;
	for (size_t length = 0; length <= sizeof(chain); length++)
		assert_int_equal(walk(IP6_HOP_BY_HOP, chain, length, &upper),
						 length < sizeof(chain) ? IP6_WALK_SHORT : IP6_WALK_OK);
	assert_int_equal(upper.protocol, IP6_TCP);
	assert_int_equal(upper.offset, 92);
	assert_int_equal(upper.named_at, 84);

	/* Hop-by-hop must be the first one. */
	chain[8] = IP6_HOP_BY_HOP;
	assert_int_equal(walk(IP6_HOP_BY_HOP, chain, sizeof(chain), &upper), IP6_WALK_OK);
	assert_int_equal(upper.protocol, IP6_HOP_BY_HOP);
	assert_int_equal(upper.named_at, 48);

	uint8_t endless[1024];
	memset(endless, 0, sizeof(endless));
	for (size_t i = 0; i < sizeof(endless); i += 8)
		endless[i] = IP6_DESTINATION_OPTIONS;
	assert_int_equal(walk(IP6_DESTINATION_OPTIONS, endless, sizeof(endless), &upper),
					 IP6_WALK_LONG);
	assert_int_equal(walk(IP6_DESTINATION_OPTIONS, endless, 8 * IP6_MAX_EXTENSIONS - 1, &upper),
					 IP6_WALK_SHORT);
	/* A header that claims more than the packet has. */
	endless[1] = 255;
	assert_int_equal(walk(IP6_DESTINATION_OPTIONS, endless, 1024, &upper), IP6_WALK_SHORT);
}

static void tells_fragments(void **state)
{
	(void)state;
	struct ip6_upper upper;
	uint8_t fragment[8] = {IP6_DESTINATION_OPTIONS, 0, 0, 1};
	fragment[0] = IP6_UDP;
	assert_int_equal(walk(IP6_FRAGMENT, fragment, 8, &upper), IP6_WALK_OK);
	assert_true(upper.is_fragment && !upper.is_later_fragment);
	assert_int_equal(upper.protocol, IP6_UDP);
	fragment[3] = 0; /* a whole datagram */
	assert_int_equal(walk(IP6_FRAGMENT, fragment, 8, &upper), IP6_WALK_OK);
	assert_false(upper.is_fragment);
	/* A later fragment: the bytes behind it are not a header. */
	fragment[0] = IP6_DESTINATION_OPTIONS;
	fragment[3] = 8;
	assert_int_equal(walk(IP6_FRAGMENT, fragment, 8, &upper), IP6_WALK_OK);
	assert_true(upper.is_fragment && upper.is_later_fragment);
	assert_int_equal(upper.offset, 48);
}

static void knows_addresses(void **state)
{
	(void)state;
	uint8_t made[16], group[6];
	static const uint8_t solicited[16] = {0xff, 2, [11] = 1, 0xff, 1, 2, 3};
	static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 1, 2, 3, 4};
	static const uint8_t compatible[16] = {[12] = 1, 2, 3, 4};
	ip6_link_local(made, mac);
	assert_memory_equal(made, address_b, 16);
	assert_true(ip6_is_link_local(made) && !ip6_is_link_local(address_a));
	ip6_solicited_node(made, address_b);
	assert_memory_equal(made, solicited, 16);
	ip6_solicited_node(made, made); /* in place */
	assert_memory_equal(made, solicited, 16);
	ip6_multicast_mac(group, solicited);
	assert_memory_equal(group, ((uint8_t[6]){0x33, 0x33, 0xff, 1, 2, 3}), 6);
	ip6_all_nodes(made);
	assert_true(ip6_is_multicast(made) && made[15] == 1 && made[1] == 2);
	ip6_all_routers(made);
	assert_true(ip6_is_multicast(made) && made[15] == 2 && made[1] == 2);
	memset(made, 0, sizeof(made));
	assert_true(ip6_is_unspecified(made) && ip6_is_ip4(made));
	made[15] = 1;
	assert_true(ip6_is_loopback(made) && !ip6_is_unspecified(made));
	assert_true(ip6_is_ip4(mapped) && ip6_is_ip4(compatible) && !ip6_is_ip4(address_a));
}

/* RFC 8200 section 8.1 literally. */
static uint16_t slow_checksum(const uint8_t *packet, size_t length)
{
	uint32_t sum = (uint32_t)length + IP6_ICMP;
	for (size_t i = 8; i < 40 + length; i++)
		sum += i % 2 ? packet[i] : (uint32_t)packet[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htobe16((uint16_t)~sum);
}

static void computes_icmp6_checksums(void **state)
{
	(void)state;
	for (uint16_t length = ICMP6_LEN; length < 1400; length = (uint16_t)(length * 2 + 1)) {
		uint8_t *packet = malloc(IP6_LEN + length);
		ip6_write(packet, length, IP6_ICMP, 255, address_a, address_b);
		for (size_t i = IP6_LEN; i < IP6_LEN + (size_t)length; i++)
			packet[i] = (uint8_t)(i * 37 + length);
		icmp6_set_checksum(packet);
		assert_int_equal(slow_checksum(packet, length), 0);
		const struct ip6_header *ip = (const void *)packet;
		uint64_t sum = ip6_pseudo_sum(ip, length, IP6_ICMP);
		assert_int_equal(checksum_fold(checksum_add(sum, packet + IP6_LEN, length)), 0xffff);
		free(packet);
	}
	assert_null(icmp6_parse(address_a, 7));
	assert_non_null(icmp6_parse(address_a, 8));
	assert_true(icmp6_is_error(ICMP6_TOO_BIG) && icmp6_is_error(ICMP6_REDIRECT));
	assert_false(icmp6_is_error(ICMP6_ECHO_REQUEST) || icmp6_is_error(ICMP6_ECHO_REPLY));
}

static void parses_and_writes_neighbor_messages(void **state)
{
	(void)state;
	for (int flags = 0; flags < 8; flags++) {
		struct nd_message message = {
			.type = ICMP6_NEIGHBOR_ADVERTISEMENT,
			.is_router = flags & 4,
			.is_solicited = flags & 2,
			.is_override = flags & 1,
			.has_mac = true,
		};
		struct nd_message read;
		uint8_t wire[ND_NEIGHBOR_MESSAGE_LEN];
		memcpy(message.target, address_a, 16);
		memcpy(message.mac, mac, 6);
		nd_write(wire, &message);
		for (size_t length = 0; length <= sizeof(wire); length++) {
			uint8_t *bytes = exact(wire, length);
			enum nd_check wanted = length < ND_NEIGHBOR_LEN ? ND_SHORT
								   : length > ND_NEIGHBOR_LEN && length < sizeof(wire)
									   ? ND_OPTION_LENGTH
									   : ND_OK;
			assert_int_equal(nd_parse(bytes, length, &read), wanted);
			if (length == ND_NEIGHBOR_LEN)
				assert_false(read.has_mac);
			free(bytes);
		}
		assert_memory_equal(&read, &message, sizeof(read));
		assert_int_equal(wire[4], flags << 5);
	}
}

static void refuses_bad_neighbor_messages(void **state)
{
	(void)state;
	struct nd_message message = {.type = ICMP6_NEIGHBOR_SOLICITATION, .has_mac = true}, read;
	uint8_t wire[ND_NEIGHBOR_MESSAGE_LEN + 16] = {0}, group[16], unspecified[16] = {0};
	memcpy(message.target, address_a, 16);
	memcpy(message.mac, mac, 6);
	nd_write(wire, &message);
	assert_int_equal(wire[4], 0);
	wire[ND_NEIGHBOR_MESSAGE_LEN] = 14; /* an unknown option */
	wire[ND_NEIGHBOR_MESSAGE_LEN + 1] = 2;
	assert_int_equal(nd_parse(wire, sizeof(wire), &read), ND_OK);
	assert_memory_equal(&read, &message, sizeof(read));
	wire[ND_NEIGHBOR_MESSAGE_LEN + 1] = 0;
	assert_int_equal(nd_parse(wire, sizeof(wire), &read), ND_OPTION_LENGTH);
	wire[ND_NEIGHBOR_MESSAGE_LEN + 1] = 3;
	assert_int_equal(nd_parse(wire, sizeof(wire), &read), ND_OPTION_LENGTH);
	wire[1] = 1;
	assert_int_equal(nd_parse(wire, ND_NEIGHBOR_MESSAGE_LEN, &read), ND_CODE);
	wire[1] = 0;
	wire[8] = 0xff;
	assert_int_equal(nd_parse(wire, ND_NEIGHBOR_MESSAGE_LEN, &read), ND_TARGET);

	ip6_solicited_node(group, address_a);
	assert_int_equal(nd_check_addresses(&message, address_b, address_a), ND_OK);
	assert_int_equal(nd_check_addresses(&message, unspecified, group), ND_ADDRESSES);
	message.has_mac = false;
	assert_int_equal(nd_check_addresses(&message, unspecified, group), ND_OK);
	assert_int_equal(nd_check_addresses(&message, unspecified, address_a), ND_ADDRESSES);
	message = (struct nd_message){.type = ICMP6_NEIGHBOR_ADVERTISEMENT, .is_solicited = true};
	assert_int_equal(nd_check_addresses(&message, address_b, group), ND_ADDRESSES);
	assert_int_equal(nd_check_addresses(&message, address_b, address_a), ND_OK);
	message = (struct nd_message){.type = ICMP6_ROUTER_SOLICITATION};
	ip6_all_routers(group);
	assert_int_equal(nd_check_addresses(&message, unspecified, group), ND_OK);
	message.has_mac = true;
	assert_int_equal(nd_check_addresses(&message, unspecified, group), ND_ADDRESSES);
}

static void parses_and_writes_router_messages(void **state)
{
	(void)state;
	uint8_t solicitation[ND_ROUTER_SOLICITATION_LEN + 8] = {133, [8] = 1, 1, 0, 0, 0, 1, 2, 3};
	struct nd_message read;
	for (size_t length = 0; length <= sizeof(solicitation); length++) {
		uint8_t *bytes = exact(solicitation, length);
		enum nd_check wanted = length < 8                    ? ND_SHORT
							   : length == 8 || length == 16 ? ND_OK
															 : ND_OPTION_LENGTH;
		assert_int_equal(nd_parse(bytes, length, &read), wanted);
		free(bytes);
	}
	assert_true(read.has_mac);
	assert_memory_equal(read.mac, mac, 6);

	struct nd_router router = {
		.hop_limit = 64,
		.is_other = true,
		.lifetime_s = 1800,
		.mtu = 1500,
		.prefix_count = 1,
		.prefixes = {{.length = 64, .is_on_link = true, .is_autonomous = true, .valid_s = 86400}},
	};
	memcpy(router.mac, mac, 6);
	memcpy(router.prefixes[0].address, address_a, 8);
	static const uint8_t wanted[] = {
		134, 0, 0, 0, 64,   0x40, 7,   8,    0, 0,    0, 0, 0,  0,    0, 0, 1,    1,    0, 0, 0, 1,
		2,   3, 5, 1, 0,    0,    0,   0,    5, 0xdc, 3, 4, 64, 0xc0, 0, 1, 0x51, 0x80, 0, 0, 0, 0,
		0,   0, 0, 0, 0x20, 1,    0xd, 0xb8, 0, 0,    0, 0, 0,  0,    0, 0, 0,    0,    0, 0,
	};
	uint8_t *bytes = malloc(sizeof(wanted));
	assert_int_equal(nd_write_router(bytes, &router), sizeof(wanted));
	/* Values of 1500 and 86400 are 05dc and 015180. */
	assert_memory_equal(bytes, wanted, sizeof(wanted));
	free(bytes);
	router.prefix_count = ND_MAX_PREFIXES;
	bytes = malloc(ND_MAX_ADVERTISEMENT_LEN);
	assert_int_equal(nd_write_router(bytes, &router), ND_MAX_ADVERTISEMENT_LEN);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_ip6),
		cmocka_unit_test(walks_extension_headers),
		cmocka_unit_test(tells_fragments),
		cmocka_unit_test(knows_addresses),
		cmocka_unit_test(computes_icmp6_checksums),
		cmocka_unit_test(parses_and_writes_neighbor_messages),
		cmocka_unit_test(refuses_bad_neighbor_messages),
		cmocka_unit_test(parses_and_writes_router_messages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
