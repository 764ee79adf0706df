/* SPDX-License-Identifier: Apache-2.0 */
/* Policers of packets for Linux and for the main thread; port e1 takes the place of a pair's TAP.
 */
#include "router/punt/punt.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/linux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* At a rate of 1 a slow machine may let one more packet pass, so passed packets are counted. */
enum { RATE = 1, BURST = 3, SENT = 20 };

static int paired(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_lcp_pair(rig_router, 0, 1);
}

static uint32_t taken(uint16_t interface)
{
	uint32_t count = 0;
	while (rig_take(interface).length)
		count++;
	return count;
}

static struct ws_punt_policer policer_of(int32_t interface, uint32_t reason)
{
	struct ws_punt_policer policer;
	assert_int_equal(ws_router_punt_policer(rig_router, interface, reason, &policer), 1);
	return policer;
}

static uint32_t flood(const struct frame *frame)
{
	for (int i = 0; i < SENT; i++)
		rig_send(0, frame->bytes, frame->length);
	return taken(1);
}

static void what_is_too_much_is_a_counted_drop(void **state)
{
	(void)state;
	struct frame udp = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 30);
	assert_int_equal(flood(&udp), SENT);
	assert_int_equal(
		ws_router_set_punt_policer(rig_router, WS_PUNT_ALL_INTERFACES, WS_PUNT_IP4, RATE, BURST),
		0);
	uint32_t passed = flood(&udp);
	struct ws_punt_policer policer = policer_of(WS_PUNT_ALL_INTERFACES, WS_PUNT_IP4);
	assert_in_range(passed, BURST, SENT - 1);
	assert_int_equal(policer.passed, passed);
	assert_int_equal(policer.dropped, SENT - passed);
	assert_int_equal(rig_counter("ip4-local", PUNT_POLICED), SENT - passed);
	assert_int_equal(
		ws_router_set_punt_policer(rig_router, WS_PUNT_ALL_INTERFACES, WS_PUNT_IP4, 0, 0), 0);
	assert_int_equal(flood(&udp), SENT);
}

/* A TCP segment of BGP passes while other packets exceed their limit. */
static void one_reason_takes_nothing_from_another(void **state)
{
	(void)state;
	struct frame udp = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 30), bgp = udp, arp = udp;
	struct ip4_header *ip = (struct ip4_header *)(void *)(bgp.bytes + ETHERNET_LEN);
	static const uint8_t ports[] = {0x30, 0x39, 0, 179};
	static const uint8_t request[] = {0,  1, 8, 0, 6, 4, 0, 1, 0, 0, 0,  0, 0, 0,
									  10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1};
	ip->protocol = IP4_TCP;
	memcpy(bgp.bytes + ETHERNET_LEN + IP4_LEN, ports, sizeof(ports));
	frame_finish(&bgp);
	arp.length = ETHERNET_LEN + sizeof(request);
	ethernet_write(arp.bytes, rig_mac[0], rig_host[0], ETHERNET_ARP);
	memcpy(arp.bytes + ETHERNET_LEN, request, sizeof(request));
	memcpy(arp.bytes + ETHERNET_LEN + 8, rig_host[0], 6);
	ws_router_set_punt_policer(rig_router, WS_PUNT_ALL_INTERFACES, WS_PUNT_IP4, RATE, BURST);
	ws_router_set_punt_policer(rig_router, WS_PUNT_ALL_INTERFACES, WS_PUNT_ROUTING, RATE, SENT);
	ws_router_set_punt_policer(rig_router, 0, WS_PUNT_ARP, RATE, SENT);
	assert_in_range(flood(&udp), BURST, SENT - 1);
	assert_int_equal(flood(&bgp), SENT);
	assert_int_equal(flood(&arp), SENT);
	assert_int_equal(policer_of(0, WS_PUNT_ARP).passed, SENT);
	assert_int_equal(policer_of(WS_PUNT_ALL_INTERFACES, WS_PUNT_ROUTING).passed, SENT);
}

/* Neighbours are not learnt from an ARP storm either. */
static void what_the_main_thread_hears_is_policed(void **state)
{
	(void)state;
	struct frame frame = {.length = ETHERNET_LEN + 28};
	static const uint8_t request[] = {0,  1, 8, 0, 6, 4, 0, 1, 0, 0, 0,  0, 0, 0,
									  10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1};
	ws_router_lcp_unpair(rig_router, 0);
	ethernet_write(frame.bytes, rig_mac[0], rig_host[0], ETHERNET_ARP);
	memcpy(frame.bytes + ETHERNET_LEN, request, sizeof(request));
	memcpy(frame.bytes + ETHERNET_LEN + 8, rig_host[0], 6);
	ws_router_set_punt_policer(rig_router, 0, WS_PUNT_ARP, RATE, BURST);
	for (int i = 0; i < SENT; i++)
		rig_send(0, frame.bytes, frame.length);
	uint32_t answered = taken(0);
	assert_in_range(answered, BURST, SENT - 1);
	assert_int_equal(rig_counter("arp-input", "ARP replies sent"), answered);
	assert_int_equal(rig_counter("arp-input", PUNT_POLICED), SENT - answered);
}

/* The interface's policer is asked first: its excess does not reduce the limit of others. */
static void both_are_asked(void **state)
{
	(void)state;
	struct frame udp = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 30);
	ws_router_set_punt_policer(rig_router, 0, WS_PUNT_IP4, RATE, BURST);
	ws_router_set_punt_policer(rig_router, WS_PUNT_ALL_INTERFACES, WS_PUNT_IP4, RATE, SENT);
	uint32_t passed = flood(&udp);
	assert_int_equal(policer_of(0, WS_PUNT_IP4).passed, passed);
	assert_int_equal(policer_of(WS_PUNT_ALL_INTERFACES, WS_PUNT_IP4).passed, passed);
	assert_int_equal(policer_of(WS_PUNT_ALL_INTERFACES, WS_PUNT_IP4).dropped, 0);
}

static void what_is_none_is_refused_and_changes_nothing(void **state)
{
	struct ws_punt_policer policer;
	(void)state;
	assert_int_equal(ws_router_set_punt_policer(rig_router, 0, WS_PUNT_REASONS, 5, 5), -EINVAL);
	assert_int_equal(ws_router_set_punt_policer(rig_router, 0, WS_PUNT_ARP, 5, 0), -EINVAL);
	assert_int_equal(ws_router_set_punt_policer(rig_router, 0, WS_PUNT_ARP, 5, 1000001), -EINVAL);
	assert_int_equal(ws_router_set_punt_policer(rig_router, 77, WS_PUNT_ARP, 5, 5), -ENODEV);
	assert_int_equal(ws_router_set_punt_policer(rig_router, -2, WS_PUNT_ARP, 5, 5), -ENODEV);
	assert_int_equal(ws_router_punt_policer(rig_router, 0, WS_PUNT_ARP, &policer), 0);
	assert_null(punt_of(rig_router));
}

static void an_interface_takes_its_policers_along(void **state)
{
	struct ws_punt_policer policer;
	(void)state;
	int loop = ws_router_loopback_add(rig_router, 7, rig_host[0]);
	assert_true(loop >= 0);
	assert_int_equal(ws_router_set_punt_policer(rig_router, loop, WS_PUNT_ARP, 5, 5), 0);
	assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)loop), 0);
	assert_int_equal(ws_router_loopback_add(rig_router, 7, rig_host[0]), loop);
	assert_int_equal(ws_router_punt_policer(rig_router, loop, WS_PUNT_ARP, &policer), 0);
}

/* ---- Reasons of frames ---- */

static enum ws_punt_reason reason_of(const uint8_t *bytes, size_t length)
{
	uint8_t *exact = malloc(length ? length : 1);
	memcpy(exact, bytes, length);
	enum ws_punt_reason reason = punt_reason_of_frame(exact, length);
	free(exact);
	return reason;
}

static enum ws_punt_reason reason_of_ip4(uint8_t protocol, uint16_t from, uint16_t to,
										 uint32_t destination)
{
	struct frame frame = frame_udp(IP(10, 0, 0, 2), destination, 30);
	frame.bytes[ETHERNET_LEN + IP4_PROTOCOL_AT] = protocol;
	uint8_t *upper = frame.bytes + ETHERNET_LEN + IP4_LEN;
	upper[0] = (uint8_t)(from >> 8), upper[1] = (uint8_t)from;
	upper[2] = (uint8_t)(to >> 8), upper[3] = (uint8_t)to;
	for (size_t i = 0; i < frame.length; i++)
		reason_of(frame.bytes, i); /* truncated at any place; nothing behind the end is read */
	return reason_of(frame.bytes, frame.length);
}

static enum ws_punt_reason reason_of_ip6(uint8_t next, const uint8_t *upper, uint8_t group)
{
	uint8_t bytes[ETHERNET_LEN + IP6_LEN + 16] = {0};
	static const uint8_t mac[6] = {2};
	ethernet_write(bytes, mac, mac, ETHERNET_IP6);
	bytes[ETHERNET_LEN] = 6 << 4;
	bytes[ETHERNET_LEN + 5] = 16;
	bytes[ETHERNET_LEN + IP6_NEXT_AT] = next;
	bytes[ETHERNET_LEN + 24] = group;
	memcpy(bytes + ETHERNET_LEN + IP6_LEN, upper, 16);
	for (size_t i = 0; i < sizeof(bytes); i++)
		reason_of(bytes, i);
	return reason_of(bytes, sizeof(bytes));
}

static void frames_have_reasons(void **state)
{
	(void)state;
	const uint32_t us = IP(10, 0, 0, 1), group = IP(224, 0, 0, 5);
	assert_int_equal(reason_of_ip4(IP4_TCP, 4000, 179, us), WS_PUNT_ROUTING);
	assert_int_equal(reason_of_ip4(IP4_TCP, 179, 4000, us), WS_PUNT_ROUTING);
	assert_int_equal(reason_of_ip4(IP4_TCP, 4000, 22, us), WS_PUNT_IP4);
	assert_int_equal(reason_of_ip4(IP4_UDP, 49152, 3784, us), WS_PUNT_ROUTING);
	assert_int_equal(reason_of_ip4(IP4_UDP, 4000, 179, us), WS_PUNT_IP4);
	assert_int_equal(reason_of_ip4(89, 0, 0, group), WS_PUNT_ROUTING);
	assert_int_equal(reason_of_ip4(IP4_ICMP, 0, 0, us), WS_PUNT_ICMP);
	assert_int_equal(reason_of_ip4(IP4_UDP, 4000, 5353, group), WS_PUNT_MULTICAST);
	assert_int_equal(reason_of_ip4(IP4_UDP, 67, 68, UINT32_MAX), WS_PUNT_MULTICAST);
	const uint8_t bgp[16] = {0x30, 0x39, 0, 179}, ns[16] = {135}, echo[16] = {128},
				  report[16] = {143}, query[16] = {IP6_ICMP, 0, 5, 2, [8] = 130};
	assert_int_equal(reason_of_ip6(IP6_TCP, bgp, 0x20), WS_PUNT_ROUTING);
	assert_int_equal(reason_of_ip6(IP6_UDP, bgp, 0x20), WS_PUNT_IP6);
	assert_int_equal(reason_of_ip6(IP6_UDP, bgp, 0xff), WS_PUNT_MULTICAST);
	assert_int_equal(reason_of_ip6(IP6_ICMP, ns, 0xff), WS_PUNT_ND);
	assert_int_equal(reason_of_ip6(IP6_ICMP, echo, 0x20), WS_PUNT_ICMP);
	assert_int_equal(reason_of_ip6(IP6_ICMP, report, 0xff), WS_PUNT_ICMP);
	assert_int_equal(reason_of_ip6(IP6_HOP_BY_HOP, query, 0xff), WS_PUNT_ND);
	const uint8_t isis[20] = {1, 0x80, 0xc2, 0, 0, 0x14, [13] = 6, 0xfe, 0xfe, 3},
				  stp[20] = {1, 0x80, 0xc2, [13] = 6, 0x42, 0x42, 3},
				  lldp[20] = {[12] = 0x88, 0xcc}, slow[20] = {[12] = 0x88, 0x09},
				  arp[20] = {[12] = 0x08, 0x06};
	assert_int_equal(reason_of(isis, sizeof(isis)), WS_PUNT_ROUTING);
	assert_int_equal(reason_of(stp, sizeof(stp)), WS_PUNT_OTHER);
	assert_int_equal(reason_of(lldp, sizeof(lldp)), WS_PUNT_OTHER);
	assert_int_equal(reason_of(slow, sizeof(slow)), WS_PUNT_LACP);
	assert_int_equal(reason_of(arp, sizeof(arp)), WS_PUNT_ARP);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, paired, rest_accounted)
	const struct CMUnitTest tests[] = {
		TEST(what_is_too_much_is_a_counted_drop),
		TEST(one_reason_takes_nothing_from_another),
		TEST(what_the_main_thread_hears_is_policed),
		TEST(both_are_asked),
		TEST(what_is_none_is_refused_and_changes_nothing),
		TEST(an_interface_takes_its_policers_along),
		cmocka_unit_test(frames_have_reasons),
	};
	return RIG_RUN(tests);
}
