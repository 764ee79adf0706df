/* SPDX-License-Identifier: Apache-2.0 */
/* Packets counted by DSCP: of which interface, which values, and until when. */
#include "router/dscp/dscp.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wirespeed/interfaces.h"

#include <errno.h>

static uint64_t counts[WS_DSCP_VALUES];

static int counting(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_set_dscp(rig_router, 0, true);
}

static void send(uint16_t interface, uint8_t dscp)
{
	struct frame in = frame_udp(IP(10, 0, interface, 2), IP(10, 0, 1, 2), 8);
	struct ip4_header *ip = (void *)(in.bytes + ETHERNET_LEN);
	ip->tos = (uint8_t)(dscp << 2);
	memcpy(in.bytes, rig_mac[interface], sizeof(rig_mac[0]));
	frame_finish(&in);
	rig_send(interface, in.bytes, in.length);
	ws_router_dscp_counts(rig_router, counts);
}

static void each_value_has_a_count(void **state)
{
	(void)state;
	for (uint8_t dscp = 0; dscp < WS_DSCP_VALUES; dscp++) {
		send(0, dscp);
		assert_int_equal(counts[dscp], 1);
	}
	send(0, 46);
	assert_int_equal(counts[46], 2);
	assert_int_equal(rig_counter("dscp-ip4", "packets counted"), WS_DSCP_VALUES + 1);
}

static void other_interfaces_do_not_count(void **state)
{
	(void)state;
	send(1, 46);
	assert_int_equal(counts[46], 0);
	assert_int_equal(ws_router_dscp(rig_router, 0), 1);
	assert_int_equal(ws_router_dscp(rig_router, 1), 0);
	assert_int_equal(ws_router_dscp(rig_router, WS_MAX_PORTS), -ENODEV);
}

static void counts_stay_when_counting_ends(void **state)
{
	(void)state;
	send(0, 46);
	assert_int_equal(ws_router_set_dscp(rig_router, 0, false), 0);
	send(0, 46);
	assert_int_equal(counts[46], 1);
}

static void a_deleted_interface_does_not_count(void **state)
{
	(void)state;
	int loopback = ws_router_loopback_add(rig_router, 0, NULL);
	assert_true(loopback > 0);
	uint16_t index = (uint16_t)loopback;
	assert_int_equal(ws_router_set_dscp(rig_router, index, true), 0);
	assert_int_equal(ws_router_interface_delete(rig_router, index), 0);
	assert_int_equal(ws_router_loopback_add(rig_router, 0, NULL), loopback);
	assert_int_equal(ws_router_dscp(rig_router, index), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_value_has_a_count, counting),
		cmocka_unit_test_setup(other_interfaces_do_not_count, counting),
		cmocka_unit_test_setup(counts_stay_when_counting_ends, counting),
		cmocka_unit_test_setup(a_deleted_interface_does_not_count, counting),
	};
	return RIG_RUN(tests);
}
