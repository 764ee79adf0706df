/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of frames; bytes in heap blocks of their exact size. */
#include "cmocka_all.h"
#include "wire/frame_kind.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/vlan.h"

#include <stdlib.h>

enum { ROOM = 128, LEAST = 60 };

struct frame {
	uint8_t bytes[ROOM];
	size_t length;
};

static struct frame ethernet(uint16_t type)
{
	static const uint8_t target[] = {2, 0, 0, 0, 0, 1}, source[] = {2, 0, 0, 0, 0, 2};
	struct frame frame = {.length = LEAST};
	ethernet_write(frame.bytes, target, source, type);
	return frame;
}

static struct frame ip4(uint8_t protocol, uint8_t type)
{
	struct frame frame = ethernet(ETHERNET_IP4);
	struct ip4_header ip = {.version_ihl = 0x45,
							.total_length = htobe16(IP4_LEN + ICMP4_LEN),
							.ttl = 64,
							.protocol = protocol,
							.source = 1,
							.destination = 2};
	ip4_set_checksum(&ip);
	memcpy(frame.bytes + ETHERNET_LEN, &ip, sizeof(ip));
	frame.bytes[ETHERNET_LEN + IP4_LEN] = type;
	return frame;
}

/* A hop-by-hop header comes first where `extended`. */
static struct frame ip6(uint8_t protocol, uint8_t type, bool extended)
{
	static const uint8_t address[IP6_ADDRESS_LEN] = {0xfe, 0x80};
	struct frame frame = ethernet(ETHERNET_IP6);
	uint8_t *payload = frame.bytes + ETHERNET_LEN + IP6_LEN;
	frame.length = ETHERNET_LEN + IP6_LEN + 16;
	ip6_write(frame.bytes + ETHERNET_LEN, 16, extended ? IP6_HOP_BY_HOP : protocol, 255, address,
			  address);
	if (extended) {
		payload[0] = protocol;
		payload += 8;
	}
	*payload = type;
	return frame;
}

static struct frame arp(void)
{
	static const uint8_t request[] = {0, 1, 8, 0, 6, 4, 0, 1};
	struct frame frame = ethernet(ETHERNET_ARP);
	memcpy(frame.bytes + ETHERNET_LEN, request, sizeof(request));
	return frame;
}

static struct frame to_bridge(struct frame frame)
{
	static const uint8_t group[] = {0x01, 0x80, 0xc2, 0, 0, 0x0e};
	memcpy(frame.bytes, group, sizeof(group));
	return frame;
}

static struct frame tagged(struct frame frame)
{
	static const uint8_t tag[] = {0x81, 0x00, 0x20, 0x07};
	enum { AT = ETHERNET_LEN - 2 };
	memmove(frame.bytes + AT + sizeof(tag), frame.bytes + AT, frame.length - AT);
	memcpy(frame.bytes + AT, tag, sizeof(tag));
	frame.length += sizeof(tag);
	return frame;
}

/* Like a receiver: first a check of the beginning, then of the whole frame, in a block of `length`
 * bytes. */
static enum frame_kind kind_of(const struct frame *frame, size_t length)
{
	uint8_t *block = malloc(length ? length : 1);
	memcpy(block, frame->bytes, length);
	enum frame_kind kind = frame_kind(block, length, frame->length);
	if (length >= FRAME_LOOK_LEN && frame_looks_ordinary(block))
		assert_int_equal(kind, FRAME_ORDINARY);
	free(block);
	return kind;
}

/* With no, one and two tags; a truncated frame has its kind or is ordinary. */
static void expect(struct frame frame, enum frame_kind kind)
{
	for (int tags = 0; tags <= VLAN_MAX_TAGS; tags++, frame = tagged(frame)) {
		assert_int_equal(kind_of(&frame, frame.length), kind);
		for (size_t length = 0; length < frame.length; length++) {
			enum frame_kind cut = kind_of(&frame, length);
			assert_true(cut == kind || cut == FRAME_ORDINARY ||
						(cut == FRAME_CONTROL && frame.bytes[0] == 1));
		}
	}
	if (kind != FRAME_CONTROL) {
		frame.bytes[0] = 2;
		assert_int_equal(kind_of(&frame, frame.length), FRAME_ORDINARY); /* in three tags */
	}
}

static void errors_are_told_from_other_icmp(void **state)
{
	(void)state;
	static const uint8_t errors[] = {ICMP4_UNREACHABLE, ICMP4_SOURCE_QUENCH, ICMP4_REDIRECT,
									 ICMP4_TIME_EXCEEDED, ICMP4_PARAMETER_PROBLEM};
	for (size_t i = 0; i < sizeof(errors); i++)
		expect(ip4(IP4_ICMP, errors[i]), FRAME_ICMP_ERROR);
	expect(ip4(IP4_ICMP, ICMP4_ECHO_REPLY), FRAME_ORDINARY);
	expect(ip4(IP4_ICMP, ICMP4_ECHO_REQUEST), FRAME_ORDINARY);
	expect(ip4(IP4_UDP, ICMP4_UNREACHABLE), FRAME_ORDINARY);
	for (int type = 1; type < ICMP6_FIRST_INFORMATION; type++)
		expect(ip6(IP6_ICMP, (uint8_t)type, type % 2), FRAME_ICMP6_ERROR);
	expect(ip6(IP6_ICMP, ICMP6_ECHO_REPLY, false), FRAME_ORDINARY);
	expect(ip6(IP6_UDP, ICMP6_UNREACHABLE, true), FRAME_ORDINARY);
}

static void neighbors_are_told(void **state)
{
	(void)state;
	expect(arp(), FRAME_ARP);
	for (uint8_t type = ICMP6_ROUTER_SOLICITATION; type <= ICMP6_REDIRECT; type++)
		expect(ip6(IP6_ICMP, type, false), FRAME_ND);
	expect(ip6(IP6_ICMP, ICMP6_LISTENER_REPORT, true), FRAME_ORDINARY);
}

static void control_of_the_link_is_told(void **state)
{
	(void)state;
	expect(ethernet(0x88cc), FRAME_LLDP);
	expect(to_bridge(ethernet(0x88cc)), FRAME_LLDP);
	expect(to_bridge(ethernet(0x8809)), FRAME_CONTROL); /* LACP */
	expect(to_bridge(ethernet(38)), FRAME_CONTROL);     /* spanning tree has a length there */
	expect(ethernet(0x8809), FRAME_ORDINARY);
	expect(to_bridge(ip4(IP4_UDP, 0)), FRAME_ORDINARY);
	expect(to_bridge(ethernet(ETHERNET_MPLS)), FRAME_ORDINARY);
}

static void what_is_malformed_is_no_message(void **state)
{
	(void)state;
	struct frame frame = ip4(IP4_ICMP, ICMP4_UNREACHABLE);
	frame.bytes[ETHERNET_LEN + 11] ^= 1;
	expect(frame, FRAME_ORDINARY); /* checksum */
	frame = ip4(IP4_ICMP, ICMP4_UNREACHABLE);
	struct ip4_header ip;
	memcpy(&ip, frame.bytes + ETHERNET_LEN, sizeof(ip));
	ip.fragment = htobe16(1);
	ip4_set_checksum(&ip);
	memcpy(frame.bytes + ETHERNET_LEN, &ip, sizeof(ip));
	expect(frame, FRAME_ORDINARY); /* a later fragment */
	frame = ip6(IP6_ICMP, ICMP6_UNREACHABLE, false);
	frame.bytes[ETHERNET_LEN + 4] = 1; /* longer than there is */
	expect(frame, FRAME_ORDINARY);
	frame = arp();
	frame.bytes[ETHERNET_LEN + 1] = 6; /* no Ethernet */
	expect(frame, FRAME_ORDINARY);
}

static void everyday_frames_look_ordinary(void **state)
{
	(void)state;
	const struct frame frames[] = {ip4(IP4_UDP, 0), ip4(IP4_TCP, 0), ip6(IP6_UDP, 0, false),
								   ip6(IP6_TCP, 0, false), ethernet(ETHERNET_MPLS)};
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct frame once = tagged(frames[i]);
		assert_true(frame_looks_ordinary(frames[i].bytes));
		assert_true(frame_looks_ordinary(once.bytes));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_told_from_other_icmp),
		cmocka_unit_test(neighbors_are_told),
		cmocka_unit_test(control_of_the_link_is_told),
		cmocka_unit_test(what_is_malformed_is_no_message),
		cmocka_unit_test(everyday_frames_look_ordinary),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
