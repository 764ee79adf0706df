/* SPDX-License-Identifier: Apache-2.0 */
/* VXLAN tunnels: their table, and inner packets of every length. */
#include "tests/rig_tests.h"

#include "router/vxlan/vxlan.h"
#include "wire/ethernet.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/trace.h"

#include <errno.h>
#include <string.h>

enum { VNI = 0x1234, MANY = 300 };

static struct ws_vxlan_tunnel wanted(uint32_t instance)
{
	return (struct ws_vxlan_tunnel){.instance = instance,
									.source = ADDRESS(10, 0, 0, 1),
									.destination = ADDRESS(10, 0, 0, 2),
									.vni = VNI + instance};
}

/* A tunnel to the host behind e0, cross-connected to e1; returns its number. */
static uint16_t connected(int decap)
{
	struct ws_vxlan_tunnel tunnel = wanted(0);
	tunnel.decap = decap;
	rig_reset();
	assert_int_equal(ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 2), rig_host[0]), 0);
	int index = ws_router_vxlan_add(rig_router, &tunnel);
	assert_true(index > 0);
	assert_int_equal(ws_router_set_state(rig_router, (uint16_t)index, true), 0);
	if (decap == WS_VXLAN_L2) {
		assert_int_equal(ws_router_set_xconnect(rig_router, (uint16_t)index, 1), 0);
		assert_int_equal(ws_router_set_xconnect(rig_router, 1, (uint16_t)index), 0);
	}
	return (uint16_t)index;
}

/* `inner` as sent by the remote endpoint. */
static struct frame carried(const uint8_t *inner, size_t length)
{
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), VXLAN_LEN + length);
	uint8_t *udp = frame.bytes + ETHERNET_LEN + IP4_LEN;
	const uint16_t port = htobe16(VXLAN_PORT);
	const struct vxlan_header vxlan = {htobe32(VXLAN_HAS_VNI), htobe32(VNI << VXLAN_VNI_SHIFT)};
	memcpy(udp + offsetof(struct udp_header, destination), &port, sizeof(port));
	memcpy(udp + UDP_LEN, &vxlan, sizeof(vxlan));
	memcpy(udp + UDP_LEN + VXLAN_LEN, inner, length);
	frame_finish(&frame);
	memset(udp + offsetof(struct udp_header, checksum), 0, sizeof(port));
	return frame;
}

static void every_length_comes_out_as_it_went_in(void **state)
{
	(void)state;
	connected(WS_VXLAN_L2);
	struct frame inner = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 200);
	for (size_t length = ETHERNET_LEN; length <= inner.length; length++) {
		struct frame outer = carried(inner.bytes, length);
		for (size_t piece = outer.length; piece; piece = piece > 64 ? 64 : 0) {
			rig_send_pieces(0, outer.bytes, outer.length, piece);
			struct frame out = rig_take(1);
			assert_int_equal(out.length, length);
			assert_memory_equal(out.bytes, inner.bytes, length);
		}
		rig_send_pieces(1, inner.bytes, length, length > 40 ? 40 : length);
		struct frame sent = rig_take(0);
		assert_int_equal(sent.length, ETHERNET_LEN + VXLAN_IP4_OVERHEAD + length);
		assert_memory_equal(sent.bytes + ETHERNET_LEN + VXLAN_IP4_OVERHEAD, inner.bytes, length);
		const struct ip4_header *ip = (const void *)(sent.bytes + ETHERNET_LEN);
		assert_int_equal(be16toh(ip->total_length), VXLAN_IP4_OVERHEAD + length);
		assert_true(checksum_is_right(ip, IP4_LEN));
	}
	assert_int_equal(rig_totals().drops, 0);
}

/* Truncated packets of every length are dropped with a named reason, and no byte behind them is
 * read. */
static void what_is_cut_short_is_dropped(void **state)
{
	(void)state;
	connected(WS_VXLAN_L2);
	struct frame inner = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 0);
	struct frame whole = carried(inner.bytes, inner.length);
	uint64_t sent = 0;
	for (size_t length = ETHERNET_LEN + IP4_LEN; length < whole.length; length++, sent++)
		rig_send(0, whole.bytes, length);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_totals().drops, sent);
	for (size_t length = 0; length < ETHERNET_LEN; length++, sent++) {
		struct frame runt = carried(inner.bytes, length);
		rig_send(0, runt.bytes, runt.length);
	}
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_totals().drops, sent);
}

static void bare_packets_are_looked_at_before_they_are_believed(void **state)
{
	(void)state;
	uint16_t index = connected(WS_VXLAN_IP4);
	assert_int_equal(ws_router_address_add(rig_router, index, PREFIX(10, 9, 0, 1, 24)), 0);
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]), 0);
	struct frame inner = frame_udp(IP(10, 9, 0, 2), IP(10, 0, 1, 2), 40);
	for (size_t length = 0; length < inner.length - ETHERNET_LEN; length++) {
		struct frame outer = carried(inner.bytes + ETHERNET_LEN, length);
		rig_send(0, outer.bytes, outer.length);
		assert_int_equal(rig_take(1).length, 0);
	}
	struct frame outer = carried(inner.bytes + ETHERNET_LEN, inner.length - ETHERNET_LEN);
	rig_send(0, outer.bytes, outer.length);
	assert_int_equal(rig_take(1).length, inner.length);
}

/* A trace that begins behind the tunnel or at a drop shows whole frames, like any other trace. */
static void traces_begin_with_the_ethernet_header(void **state)
{
	(void)state;
	struct ws_trace_step steps[4];
	connected(WS_VXLAN_L2);
	struct frame inner = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 20);
	struct frame good = carried(inner.bytes, inner.length), bad = good;
	bad.bytes[ETHERNET_LEN + IP4_LEN + UDP_LEN] = 0; /* no VNI */
	assert_int_equal(ws_router_trace_add(rig_router, "vxlan4-input", 1), 0);
	rig_send(0, good.bytes, good.length);
	assert_int_equal(rig_take(1).length, inner.length);
	assert_true(ws_router_trace(rig_router, 0, 0, steps, 4) >= 2);
	assert_string_equal(steps[0].node, "vxlan4-input");
	assert_int_equal(steps[0].byte_count, good.length);
	assert_memory_equal(steps[0].bytes, good.bytes, good.length);
	assert_memory_equal(steps[1].bytes, inner.bytes, inner.length);
	ws_router_trace_clear(rig_router);

	assert_int_equal(ws_router_trace_add(rig_router, "error-drop", 2), 0);
	rig_send(0, bad.bytes, bad.length); /* dropped behind the Ethernet header */
	rig_send(0, good.bytes, 10);        /* dropped at it */
	assert_int_equal(ws_router_trace(rig_router, 0, 0, steps, 4), 2);
	assert_int_equal(steps[0].byte_count, bad.length);
	assert_memory_equal(steps[0].bytes, bad.bytes, bad.length);
	assert_int_equal(steps[1].byte_count, 10);
	assert_memory_equal(steps[1].bytes, good.bytes, 10);
	ws_router_trace_clear(rig_router);
}

static void many_come_and_go(void **state)
{
	(void)state;
	uint16_t indices[MANY];
	rig_reset();
	for (uint32_t i = 0; i < MANY; i++) {
		struct ws_vxlan_tunnel tunnel = wanted(i), again = wanted(i);
		again.instance = MANY;
		int index = ws_router_vxlan_add(rig_router, &tunnel);
		assert_true(index > 0);
		indices[i] = (uint16_t)index;
		assert_int_equal(ws_router_vxlan_add(rig_router, &again), -EEXIST);
	}
	for (uint32_t i = 0; i < MANY; i += 2)
		assert_int_equal(ws_router_interface_delete(rig_router, indices[i]), 0);
	struct ws_vxlan_tunnel told;
	for (uint32_t i = 0; i < MANY; i++) {
		struct vxlan_key key = {.vni = htobe32((VNI + i) << VXLAN_VNI_SHIFT), .family = WS_IP4};
		memcpy(key.remote, wanted(i).destination.bytes, sizeof(key.remote));
		memcpy(key.local, wanted(i).source.bytes, sizeof(key.local));
		assert_int_equal(vxlan_find(vxlan_state(rig_router)->ends, &key) != NULL, i % 2);
		assert_int_equal(ws_router_vxlan(rig_router, indices[i], &told), i % 2 ? 0 : -ENODEV);
	}
	/* The nodes for received packets are removed with the last tunnel. */
	assert_non_null(graph_node(rig_router->workers[0]->graph, "vxlan4-input"));
	for (uint32_t i = 1; i < MANY; i += 2)
		assert_int_equal(ws_router_interface_delete(rig_router, indices[i]), 0);
	assert_null(graph_node(rig_router->workers[0]->graph, "vxlan4-input"));
	assert_null(graph_node(rig_router->workers[0]->graph, "vxlan6-input"));
}

enum { TAG = 7, TAGGED = ETHERNET_LEN + VLAN_TAG_LEN };

/* Frames with tag 7 in the tunnel are untagged on e1. */
static uint16_t bridged_sub(uint16_t tunnel)
{
	int sub = ws_router_subinterface_add(
		rig_router, tunnel, &(struct ws_subinterface){.id = TAG, .outer = TAG, .exact = true});
	assert_true(sub > 0);
	assert_int_equal(ws_router_set_state(rig_router, (uint16_t)sub, true), 0);
	assert_int_equal(
		ws_router_set_tag_rewrite(rig_router, (uint16_t)sub, &(struct ws_tag_rewrite){.pop = 1}),
		0);
	assert_int_equal(ws_router_set_bridge(rig_router, (uint16_t)sub, 9, false, 0), 0);
	return (uint16_t)sub;
}

static void sub_interface_takes_its_tag_of_any_length(void **state)
{
	(void)state;
	uint16_t tunnel = connected(WS_VXLAN_L2), sub = bridged_sub(tunnel);
	assert_int_equal(ws_router_set_l3(rig_router, tunnel), 0);
	assert_int_equal(ws_router_set_bridge(rig_router, 1, 9, false, 0), 0);
	struct frame plain = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 200), tagged = plain;
	const uint8_t tag[] = {0x81, 0, 0, TAG};
	/* Frames between two stations: flooded at first, then to the learnt port. */
	plain.bytes[0] = 2, plain.bytes[ETHERNET_ADDRESS_LEN] = 2;
	plain.bytes[ETHERNET_ADDRESS_LEN - 1] = 0xa, plain.bytes[2 * ETHERNET_ADDRESS_LEN - 1] = 0xb;
	memcpy(tagged.bytes, plain.bytes, ETHERNET_TYPE_AT);
	memcpy(tagged.bytes + ETHERNET_TYPE_AT, tag, sizeof(tag));
	memcpy(tagged.bytes + ETHERNET_TYPE_AT + sizeof(tag), plain.bytes + ETHERNET_TYPE_AT,
		   plain.length - ETHERNET_TYPE_AT);
	uint64_t packets = 0, bytes = 0;
	for (size_t length = TAGGED; length <= plain.length; length++) {
		struct frame outer = carried(tagged.bytes, length);
		rig_send_pieces(0, outer.bytes, outer.length, length % 2 ? 80 : outer.length);
		struct frame out = rig_take(1);
		assert_int_equal(out.length, length - VLAN_TAG_LEN);
		assert_memory_equal(out.bytes, plain.bytes, out.length);
		/* The opposite direction: the bridge has learnt e1's station from its frames. */
		struct frame answer = plain;
		memcpy(answer.bytes, plain.bytes + ETHERNET_ADDRESS_LEN, ETHERNET_ADDRESS_LEN);
		memcpy(answer.bytes + ETHERNET_ADDRESS_LEN, plain.bytes, ETHERNET_ADDRESS_LEN);
		rig_send(1, answer.bytes, length - VLAN_TAG_LEN);
		struct frame sent = rig_take(0);
		const uint8_t *inner = sent.bytes + ETHERNET_LEN + VXLAN_IP4_OVERHEAD;
		assert_int_equal(sent.length, ETHERNET_LEN + VXLAN_IP4_OVERHEAD + length);
		assert_memory_equal(inner, answer.bytes, ETHERNET_TYPE_AT);
		assert_memory_equal(inner + ETHERNET_TYPE_AT, tag, sizeof(tag));
		assert_memory_equal(inner + TAGGED - sizeof(uint16_t), answer.bytes + ETHERNET_TYPE_AT,
							length - VLAN_TAG_LEN - ETHERNET_TYPE_AT);
		packets++, bytes += length;
	}
	assert_int_equal(rig_totals().drops, 0);
	const uint16_t both[] = {tunnel, sub};
	for (int i = 0; i < 2; i++) {
		struct ws_interface_counters counters;
		assert_int_equal(ws_router_interface_counters(rig_router, both[i], &counters), 0);
		assert_int_equal(counters.rx_packets, packets);
		assert_int_equal(counters.tx_packets, packets);
		assert_int_equal(counters.rx_bytes, bytes);
		assert_int_equal(counters.tx_bytes, bytes);
	}
}

/* Frames with other tags belong to the tunnel itself; nothing passes while either is down. */
static void sub_interface_is_open_while_both_are_up(void **state)
{
	(void)state;
	uint16_t tunnel = connected(WS_VXLAN_L2), sub = bridged_sub(tunnel);
	assert_int_equal(ws_router_set_l3(rig_router, tunnel), 0);
	assert_int_equal(ws_router_set_bridge(rig_router, 1, 9, false, 0), 0);
	struct frame inner = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 20);
	for (int which = 0; which < 2; which++) {
		assert_int_equal(ws_router_set_state(rig_router, which ? tunnel : sub, false), 0);
		rig_send(1, inner.bytes, inner.length);
		assert_int_equal(rig_take(0).length, 0);
		assert_int_equal(ws_router_set_state(rig_router, which ? tunnel : sub, true), 0);
		rig_send(1, inner.bytes, inner.length);
		assert_int_not_equal(rig_take(0).length, 0);
	}
	assert_int_equal(rig_counter("vxlan-output", "interface is down"), 1);
	assert_int_equal(rig_totals().drops, 2);
	struct ws_vxlan_tunnel told;
	assert_int_equal(ws_router_vxlan(rig_router, sub, &told), -ENODEV);
	assert_int_equal(ws_router_interface_delete(rig_router, tunnel), -EEXIST);
	assert_int_equal(ws_router_interface_delete(rig_router, sub), 0);
	assert_int_equal(ws_router_interface_delete(rig_router, tunnel), 0);
	rig_send(1, inner.bytes, inner.length);
	assert_int_equal(rig_take(0).length, 0);
	/* A router is freed with its tunnels. */
	tunnel = connected(WS_VXLAN_L2);
	bridged_sub(tunnel);
	rig_reset();
}

/* Numbers of tunnels and sub-interfaces are arbitrary: those of deleted interfaces are used again.
 */
static void sub_interface_may_have_a_lower_number_than_its_tunnel(void **state)
{
	(void)state;
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 0x77};
	rig_reset();
	int freed = ws_router_loopback_add(rig_router, 0, NULL);
	struct ws_vxlan_tunnel given = wanted(0);
	int tunnel = ws_router_vxlan_add(rig_router, &given);
	assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)freed), 0);
	uint16_t sub = bridged_sub((uint16_t)tunnel);
	assert_int_equal(sub, freed);
	assert_true(sub < tunnel);
	struct ws_interface face;
	assert_false(rig_router->interfaces[sub].usable);
	assert_int_equal(ws_router_set_state(rig_router, (uint16_t)tunnel, true), 0);
	assert_true(rig_router->interfaces[sub].usable);
	assert_int_equal(ws_router_set_mac(rig_router, (uint16_t)tunnel, mac), 0);
	assert_int_equal(ws_router_set_protocol_mtu(rig_router, sub, WS_MTU_L3, 9000), 0);
	assert_int_equal(ws_router_interface(rig_router, sub, &face), 0);
	assert_memory_equal(face.mac, mac, sizeof(mac));
	assert_int_equal(face.mtu, 9000);
	assert_int_equal(face.parent, tunnel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_comes_out_as_it_went_in),
		cmocka_unit_test(what_is_cut_short_is_dropped),
		cmocka_unit_test(bare_packets_are_looked_at_before_they_are_believed),
		cmocka_unit_test(traces_begin_with_the_ethernet_header),
		cmocka_unit_test(many_come_and_go),
		cmocka_unit_test(sub_interface_takes_its_tag_of_any_length),
		cmocka_unit_test(sub_interface_is_open_while_both_are_up),
		cmocka_unit_test(sub_interface_may_have_a_lower_number_than_its_tunnel),
	};
	return RIG_RUN(tests);
}
