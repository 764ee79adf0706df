/* SPDX-License-Identifier: Apache-2.0 */
/* A pair of the Linux control plane; port e1 takes the place of the TAP. */
#include "router/local/echo.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/linux.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <string.h>

static int paired(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_lcp_pair(rig_router, 0, 1);
}

static void assert_passes(uint16_t from, const struct frame *frame)
{
	rig_send(from, frame->bytes, frame->length);
	struct frame out = rig_take(!from);
	assert_int_equal(out.length, frame->length);
	assert_memory_equal(out.bytes, frame->bytes, frame->length);
	assert_int_equal(rig_take(from).length, 0);
}

static struct frame arp_request(void)
{
	static const uint8_t request[] = {0,  1, 8, 0, 6, 4, 0, 1, 0x02, 0xaa, 0,  0, 0, 0,
									  10, 0, 0, 2, 0, 0, 0, 0, 0,    0,    10, 0, 0, 1};
	struct frame frame = {.length = ETHERNET_LEN + sizeof(request)};
	memset(frame.bytes, 0xff, 6);
	memcpy(frame.bytes + 6, rig_host[0], 6);
	frame.bytes[12] = 0x08;
	frame.bytes[13] = 0x06;
	memcpy(frame.bytes + ETHERNET_LEN, request, sizeof(request));
	memcpy(frame.bytes + ETHERNET_LEN + 8, rig_host[0], 6);
	return frame;
}

/* A frame of the type to the group address whose last byte is `last`. */
static struct frame group_frame(uint16_t type, uint8_t last)
{
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(224, 0, 0, 5), 20);
	const uint8_t group[6] = {0x01, 0x00, 0x5e, 0, 0, last};
	memcpy(frame.bytes, group, 6);
	frame.bytes[12] = (uint8_t)(type >> 8);
	frame.bytes[13] = (uint8_t)type;
	return frame;
}

static void linux_gets_what_is_for_the_router(void **state)
{
	(void)state;
	struct frame udp = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 30);
	struct frame arp = arp_request();
	struct frame ospf = group_frame(ETHERNET_IP4, 5), lldp = group_frame(0x88cc, 14);
	assert_passes(0, &udp);
	assert_passes(0, &arp);
	assert_passes(0, &ospf);
	assert_passes(0, &lldp);
	assert_int_equal(rig_counter("linux-cp-punt", "packets to Linux"), 4);
	assert_int_equal(rig_counter("arp-input", "ARP replies sent"), 0);
	/* The router has learned from the reply that it passed on. */
	struct ws_neighbor neighbor;
	ws_router_poll(rig_router);
	assert_int_equal(ws_router_neighbors(rig_router, 0, &neighbor, 1), 1);
	assert_memory_equal(neighbor.mac, rig_host[0], 6);
	struct ws_interface_counters counters;
	ws_router_interface_counters(rig_router, 0, &counters);
	assert_int_equal(counters.punts, 4);
}

static void what_linux_sends_goes_out_as_it_is(void **state)
{
	(void)state;
	struct frame frame = frame_udp(IP(10, 0, 0, 1), IP(10, 0, 0, 2), 30);
	for (size_t i = 0; i < frame.length; i++)
		frame.bytes[i] = (uint8_t)(i * 37);
	assert_passes(1, &frame);
	/* To the TAP's own address too: the TAP is not an interface of the router. */
	struct frame udp = frame_udp(IP(10, 0, 1, 2), IP(10, 0, 1, 1), 30);
	memcpy(udp.bytes, rig_mac[1], 6);
	assert_passes(1, &udp);
	assert_int_equal(rig_counter("linux-cp-xc", "packets from Linux"), 2);
}

static void frames_for_others_are_no_business_of_linux(void **state)
{
	(void)state;
	struct frame foreign = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 30);
	foreign.bytes[5] = 0x77;
	rig_send(0, foreign.bytes, foreign.length);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_counter("ethernet-input", "l3 mac mismatch"), 1);
	struct frame bad = arp_request();
	bad.bytes[ETHERNET_LEN + 1] = 9;
	rig_send(0, bad.bytes, bad.length);
	assert_int_equal(rig_take(1).length, 0);
}

static struct frame reply_of(uint32_t id)
{
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 24);
	struct ip4_header *ip = (struct ip4_header *)(void *)(frame.bytes + ETHERNET_LEN);
	struct icmp4_header *icmp = (struct icmp4_header *)(void *)(ip + 1);
	ip->protocol = IP4_ICMP;
	*icmp = (struct icmp4_header){.type = ICMP4_ECHO_REPLY,
								  .rest = {htobe16((uint16_t)id), htobe16(7)}};
	icmp->checksum = checksum(icmp, frame.length - ETHERNET_LEN - IP4_LEN);
	frame_finish(&frame);
	return frame;
}

static struct frame reply6_of(uint32_t id)
{
	const uint8_t source[16] = {0x20, 1, 0xd, 0xb8, [15] = 2},
				  own[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 24);
	uint8_t *packet = frame.bytes + ETHERNET_LEN;
	struct icmp6_header *icmp = (struct icmp6_header *)(void *)(packet + IP6_LEN);
	frame.length = ETHERNET_LEN + IP6_LEN + ICMP6_LEN;
	frame.bytes[12] = 0x86;
	frame.bytes[13] = 0xdd;
	ip6_write(packet, ICMP6_LEN, IP6_ICMP, 64, source, own);
	*icmp = (struct icmp6_header){.type = ICMP6_ECHO_REPLY, .rest = htobe32(id << 16 | 9)};
	icmp6_set_checksum(packet);
	return frame;
}

/* Linux's pings have the identifiers of other processes. */
static void answers_to_pings_go_to_who_asked(void **state)
{
	(void)state;
	const uint8_t own6[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
	struct frame foreign = reply_of(echo_of(rig_router)->id ^ 1),
				 ours = reply_of(echo_of(rig_router)->id);
	struct frame foreign6 = reply6_of(echo_of(rig_router)->id ^ 1),
				 ours6 = reply6_of(echo_of(rig_router)->id);
	struct ws_echo_reply replies[4];
	const struct ws_prefix prefix = {address_of_ip6(own6), 64};
	assert_int_equal(ws_router_address_add(rig_router, 0, prefix), 0);
	assert_passes(0, &foreign);
	assert_passes(0, &foreign6);
	rig_send(0, ours.bytes, ours.length);
	rig_send(0, ours6.bytes, ours6.length);
	assert_int_equal(rig_take(1).length, 0);
	ws_router_poll(rig_router);
	assert_int_equal(ws_router_echo_replies(rig_router, replies, 4), 2);
	assert_int_equal(replies[0].sequence, 7);
	assert_int_equal(replies[1].sequence, 9);
	/* Linux gets damaged, short and fragmented packets. */
	ours6.bytes[ours6.length - 1] ^= 1;
	assert_passes(0, &ours6);
	ours.bytes[ETHERNET_LEN + 6] = 0x20;
	frame_finish(&ours);
	assert_passes(0, &ours);
}

/* The VLAN's tag was removed for the router; Linux has the VLAN on the port's TAP. */
static void a_vlan_goes_to_linux_with_its_tag(void **state)
{
	(void)state;
	const struct ws_subinterface sub = {.id = 100, .outer = 100, .exact = true};
	int index = ws_router_subinterface_add(rig_router, 0, &sub);
	assert_true(index > 0);
	assert_int_equal(ws_router_set_state(rig_router, (uint16_t)index, true), 0);
	struct frame arp = arp_request(), tagged = {.length = arp.length + 4};
	memcpy(tagged.bytes, arp.bytes, 12);
	memcpy(tagged.bytes + 12, (const uint8_t[]){0x81, 0x00, 0x00, 100}, 4);
	memcpy(tagged.bytes + 16, arp.bytes + 12, arp.length - 12);
	rig_send(0, tagged.bytes, tagged.length);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(ws_router_lcp_pair(rig_router, (uint16_t)index, 1), 0);
	assert_passes(0, &tagged);
	assert_passes(1, &tagged);
	assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)index), 0);
	assert_passes(1, &tagged);
}

static void pairs_that_cannot_be(void **state)
{
	(void)state;
	const struct ws_subinterface sub = {.id = 7, .outer = 7, .exact = true};
	assert_int_equal(ws_router_lcp_pair(rig_router, 0, 1), -EEXIST);
	assert_int_equal(ws_router_lcp_pair(rig_router, 1, 0), -EEXIST);
	assert_int_equal(ws_router_lcp_pair(rig_router, 9, 1), -ENODEV);
	assert_int_equal(ws_router_lcp_unpair(rig_router, 0), 0);
	assert_int_equal(ws_router_lcp_unpair(rig_router, 0), -ENOENT);
	int index = ws_router_subinterface_add(rig_router, 0, &sub);
	assert_int_equal(ws_router_lcp_pair(rig_router, (uint16_t)index, 1), -EINVAL);
	assert_int_equal(ws_router_lcp_pair(rig_router, 0, 0), -EINVAL);
	ws_router_interface_delete(rig_router, (uint16_t)index);
}

static void without_the_pair_the_router_answers_itself(void **state)
{
	(void)state;
	struct frame arp = arp_request();
	assert_int_equal(ws_router_lcp_unpair(rig_router, 0), 0);
	rig_send(0, arp.bytes, arp.length);
	assert_int_equal(rig_take(1).length, 0);
	assert_true(rig_take(0).length > 0);
	assert_int_equal(rig_counter("arp-input", "ARP replies sent"), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, paired, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(linux_gets_what_is_for_the_router),          TEST(what_linux_sends_goes_out_as_it_is),
		TEST(frames_for_others_are_no_business_of_linux), TEST(answers_to_pings_go_to_who_asked),
		TEST(a_vlan_goes_to_linux_with_its_tag),          TEST(pairs_that_cannot_be),
		TEST(without_the_pair_the_router_answers_itself),
	};
	return RIG_RUN(tests);
}
