/* SPDX-License-Identifier: Apache-2.0 */
/* A bond of e1, cross-connected to e0: every frame passes unchanged in both directions. */
#include "router/bond/bond.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/ip6.h"
#include "wirespeed/linux.h"
#include "wirespeed/trace.h"

#include <errno.h>
#include <string.h>

static uint16_t made;

static void make(int mode, int balance)
{
	struct ws_bond bond = {.mode = mode, .balance = balance, .has_mac = true, .mac = {2, 0xfe}};
	rig_reset();
	assert_int_equal(ws_router_address_del(rig_router, 0, PREFIX(10, 0, 0, 1, 24)), 0);
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(10, 0, 1, 1, 24)), 0);
	int index = ws_router_bond_add(rig_router, &bond);
	assert_in_range(index, 1, WS_MAX_INTERFACES);
	made = (uint16_t)index;
	assert_int_equal(ws_router_bond_member_add(rig_router, made, 1, false, false), 0);
	assert_int_equal(ws_router_set_state(rig_router, made, true), 0);
	assert_int_equal(ws_router_set_xconnect(rig_router, 0, made), 0);
	assert_int_equal(ws_router_set_xconnect(rig_router, made, 0), 0);
}

static void passes(const uint8_t *bytes, size_t length, size_t piece)
{
	for (uint16_t from = 0; from < 2; from++) {
		rig_send_pieces(from, bytes, length, piece);
		struct frame out = rig_take(!from);
		assert_int_equal(out.length, length);
		assert_memory_equal(out.bytes, bytes, length);
	}
}

/* The hash reads no byte behind the end of a frame of any type and length. */
static void passes_every_frame(void **state)
{
	(void)state;
	static const uint16_t types[] = {ETHERNET_IP4,  ETHERNET_IP6, ETHERNET_VLAN,
									 ETHERNET_MPLS, ETHERNET_ARP, 0};
	static const uint8_t versions[] = {0x45, 0x46, 0x4f, 0x60, 0};
	static const int modes[] = {WS_BOND_ROUND_ROBIN, WS_BOND_ACTIVE_BACKUP, WS_BOND_XOR,
								WS_BOND_BROADCAST};
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 40);
	for (size_t mode = 0; mode < RTE_DIM(modes); mode++)
		for (int balance = WS_BOND_L2; balance <= WS_BOND_L23; balance++) {
			if (balance && modes[mode] != WS_BOND_XOR)
				continue;
			make(modes[mode], balance);
			for (size_t type = 0; type < RTE_DIM(types); type++)
				for (size_t version = 0; version < RTE_DIM(versions); version++) {
					in.bytes[12] = (uint8_t)(types[type] >> 8);
					in.bytes[13] = (uint8_t)types[type];
					in.bytes[14] = versions[version];
					for (size_t length = ETHERNET_LEN; length <= in.length; length++)
						passes(in.bytes, length, length);
					passes(in.bytes, in.length, 15);
				}
			assert_int_equal(rig_totals().drops, 0);
			assert_int_equal(rig_buffers_in_use(), 0);
		}
}

static void traces_tell_bond_and_member(void **state)
{
	(void)state;
	static const char *const out[] = {"dpdk-input", "bond-input",  "ethernet-input", "l2-input",
									  "l2-output",  "bond-output", "bond-tx",        "e1-output"};
	struct ws_trace_step steps[32];
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 100);
	make(WS_BOND_XOR, WS_BOND_L34);
	assert_int_equal(ws_router_trace_add(rig_router, "dpdk-input", 2), 0);
	passes(in.bytes, in.length, in.length);
	assert_int_equal(ws_router_trace(rig_router, 0, 0, steps, 32), 16);
	for (size_t i = 0; i < RTE_DIM(out); i++) {
		assert_string_equal(steps[i].node, out[i]);
		assert_int_equal(steps[i].tx_interface, i < 5 ? -1 : i < 7 ? made : 1);
		assert_memory_equal(steps[i].bytes, in.bytes, WS_TRACE_BYTES);
	}
	/* The nine steps are followed by those of the opposite direction. */
	assert_string_equal(steps[10].node, "bond-input");
	assert_int_equal(steps[10].rx_interface, 1);
	assert_int_equal(steps[11].rx_interface, made);
}

static void a_member_is_for_nothing_else(void **state)
{
	(void)state;
	make(WS_BOND_LACP, WS_BOND_L2);
	const uint8_t mac[6] = {2, 1, 1, 1, 1, 1};
	assert_int_equal(ws_router_set_mac(rig_router, 1, mac), -EINVAL);
	assert_int_equal(ws_router_set_ip6(rig_router, 1, true), -EINVAL);
	assert_int_equal(ws_router_set_ip6(rig_router, 1, false), 0);
	assert_int_equal(ws_router_bond_member_add(rig_router, made, 1, false, false), -EINVAL);
	assert_int_equal(ws_router_bond_member_add(rig_router, made, made, false, false), -EINVAL);
	assert_int_equal(ws_router_set_mac(rig_router, made, mac), 0);
	assert_memory_equal(rig_router->interfaces[1].mac, mac, sizeof(mac));
	assert_int_equal(ws_router_bond_member_del(rig_router, 1), 0);
	assert_memory_equal(rig_router->interfaces[1].mac, rig_mac[1], sizeof(mac));
	assert_int_equal(ws_router_set_ip6(rig_router, 1, true), 0);
	assert_int_equal(ws_router_bond_member_add(rig_router, made, 1, false, false), -EINVAL);
}

/* Received frames belong to the bond, so Linux receives none through the member's pair; it may send
 * some. */
static void a_member_may_be_paired_with_linux(void **state)
{
	(void)state;
	make(WS_BOND_XOR, WS_BOND_L2);
	assert_int_equal(ws_router_set_l3(rig_router, made), 0);
	assert_int_equal(ws_router_set_l3(rig_router, 0), 0);
	assert_int_equal(ws_router_lcp_pair(rig_router, 0, 1), -EINVAL);
	assert_int_equal(ws_router_lcp_pair(rig_router, 1, 0), 0);
	assert_int_equal(ws_router_bond_member_del(rig_router, 1), 0);
	assert_int_equal(ws_router_bond_member_add(rig_router, made, 0, false, false), -EINVAL);
	assert_int_equal(ws_router_bond_member_add(rig_router, made, 1, false, false), 0);
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 1, 2), 20);
	rig_send(1, frame.bytes, frame.length);
	assert_int_equal(rig_take(0).length, 0);
	rig_send(0, frame.bytes, frame.length);
	struct frame out = rig_take(1);
	assert_int_equal(out.length, frame.length);
	assert_memory_equal(out.bytes, frame.bytes, frame.length);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_every_frame),
		cmocka_unit_test(traces_tell_bond_and_member),
		cmocka_unit_test(a_member_is_for_nothing_else),
		cmocka_unit_test(a_member_may_be_paired_with_linux),
	};
	return RIG_RUN(tests);
}
