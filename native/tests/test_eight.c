/* SPDX-License-Identifier: Apache-2.0 */
/* Packets are processed eight at a time if all are alike. The result for a packet does not depend
 * on the other packets, or on its position among them. */
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/mpls.h"
#include "wire/udp.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/mpls.h"
#include "wirespeed/router.h"

#include <string.h>

enum { BURST = 19, COUNTERS = 512, LABEL = 16, LABEL_OUT = 100 };

#define IP6(n, h) ((uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, (n), [15] = (h)})

static struct ip4_header *ip4_of(struct frame *frame)
{
	return (void *)(frame->bytes + ETHERNET_LEN);
}

static struct ip6_header *ip6_of(struct frame *frame)
{
	return (void *)(frame->bytes + ETHERNET_LEN);
}

/* ---- Results of a number of frames ---- */

struct outcome {
	uint32_t count[2];
	uint64_t digest; /* of the frames sent by e1, in any order */
	int counters;
	uint64_t counted[COUNTERS];
};

static uint64_t digest(const struct frame *frame)
{
	uint64_t hash = 0xcbf29ce484222325 ^ frame->length;
	for (size_t i = 0; i < frame->length; i++)
		hash = (hash ^ frame->bytes[i]) * 0x100000001b3;
	return hash;
}

static struct outcome outcome(void)
{
	struct outcome seen = {0};
	static struct ws_node_counter counters[COUNTERS];
	for (struct frame out; (out = rig_take(0)).length;)
		seen.count[0]++;
	for (struct frame out; (out = rig_take(1)).length; seen.count[1]++)
		seen.digest += digest(&out);
	seen.counters = ws_router_node_counters(rig_router, 0, counters, COUNTERS);
	for (int i = 0; i < seen.counters && i < COUNTERS; i++)
		seen.counted[i] = counters[i].count;
	return seen;
}

/* ---- Frames that differ from the others ---- */

struct kind {
	const char *name;
	void (*bend)(struct frame *frame);
};

static void cut(struct frame *frame)
{
	frame->length = ETHERNET_LEN + 3;
}

static void be_runt(struct frame *frame)
{
	frame->length = ETHERNET_LEN - 1;
}

static void go_to_another_station(struct frame *frame)
{
	frame->bytes[5] ^= 1;
}

static void have_another_type(struct frame *frame)
{
	frame->bytes[13] ^= 0x55;
}

static void bear_a_tag(struct frame *frame)
{
	memmove(frame->bytes + 16, frame->bytes + 12, frame->length - 12);
	memcpy(frame->bytes + 12, (uint8_t[]){0x81, 0, 0, 7}, 4);
	frame->length += 4;
}

static void be_broadcast(struct frame *frame)
{
	memset(frame->bytes, 0xff, 6);
}

#define BENT(name, field, value)                                                                   \
	static void name(struct frame *frame)                                                          \
	{                                                                                              \
		ip4_of(frame)->field = (value);                                                            \
		ip4_set_checksum(ip4_of(frame));                                                           \
	}
BENT(ip4_version, version_ihl, 0x55)
BENT(ip4_options, version_ihl, 0x46)
BENT(ip4_long, total_length, 0xffff)
BENT(ip4_short, total_length, htobe16(19))
BENT(ip4_ttl_1, ttl, 1)
BENT(ip4_ttl_2, ttl, 2)
BENT(ip4_id, id, 0x1234)
BENT(ip4_from_loopback, source, htobe32(IP(127, 0, 0, 1)))
BENT(ip4_from_nowhere, source, 0)
BENT(ip4_from_group, source, htobe32(IP(224, 0, 0, 1)))
BENT(ip4_from_us, source, htobe32(IP(10, 0, 0, 1)))
BENT(ip4_to_loopback, destination, htobe32(IP(127, 9, 9, 9)))
BENT(ip4_to_group, destination, htobe32(IP(239, 0, 0, 1)))
BENT(ip4_to_us, destination, htobe32(IP(10, 0, 1, 1)))
BENT(ip4_without_route, destination, htobe32(IP(99, 0, 0, 1)))
BENT(ip4_deeper, destination, htobe32(IP(48, 0, 0, 77)))

static void ip4_checksum(struct frame *frame)
{
	ip4_of(frame)->checksum ^= 0x100;
}

static const struct kind ip4_kinds[] = {
	{"runt", be_runt},
	{"cut", cut},
	{"another station", go_to_another_station},
	{"another type", have_another_type},
	{"tag", bear_a_tag},
	{"broadcast", be_broadcast},
	{"version", ip4_version},
	{"options", ip4_options},
	{"long", ip4_long},
	{"short", ip4_short},
	{"checksum", ip4_checksum},
	{"ttl 1", ip4_ttl_1},
	{"ttl 2", ip4_ttl_2},
	{"id", ip4_id},
	{"from loopback", ip4_from_loopback},
	{"from nowhere", ip4_from_nowhere},
	{"from a group", ip4_from_group},
	{"from us", ip4_from_us},
	{"to loopback", ip4_to_loopback},
	{"to a group", ip4_to_group},
	{"to us", ip4_to_us},
	{"without a route", ip4_without_route},
	{"behind a longer prefix", ip4_deeper},
};

static void ip6_version(struct frame *frame)
{
	frame->bytes[ETHERNET_LEN] = 0x50;
}

static void ip6_long(struct frame *frame)
{
	ip6_of(frame)->payload_length = htobe16(1000);
}

static void ip6_hops_1(struct frame *frame)
{
	ip6_of(frame)->hop_limit = 1;
}

static void ip6_hops_2(struct frame *frame)
{
	ip6_of(frame)->hop_limit = 2;
}

#define BENT6(name, field, ...)                                                                    \
	static void name(struct frame *frame)                                                          \
	{                                                                                              \
		memcpy(ip6_of(frame)->field, (__VA_ARGS__), IP6_ADDRESS_LEN);                              \
	}
BENT6(ip6_from_us, source, IP6(0, 1))
BENT6(ip6_from_group, source, (uint8_t[16]){0xff, 2, [15] = 1})
BENT6(ip6_from_link, source, (uint8_t[16]){0xfe, 0x80, [15] = 9})
BENT6(ip6_to_link, destination, (uint8_t[16]){0xfe, 0x80, [15] = 9})
BENT6(ip6_to_us, destination, IP6(1, 1))
BENT6(ip6_without_route, destination, (uint8_t[16]){0x3f, [15] = 1})
BENT6(ip6_deeper, destination, IP6(0x48, 0x77))

static const struct kind ip6_kinds[] = {
	{"cut", cut},
	{"another type", have_another_type},
	{"version", ip6_version},
	{"long", ip6_long},
	{"hop limit 1", ip6_hops_1},
	{"hop limit 2", ip6_hops_2},
	{"from us", ip6_from_us},
	{"from a group", ip6_from_group},
	{"from the link", ip6_from_link},
	{"to the link", ip6_to_link},
	{"to us", ip6_to_us},
	{"without a route", ip6_without_route},
	{"behind a longer prefix", ip6_deeper},
};

static void label(struct frame *frame, uint32_t entry)
{
	mpls_store(frame->bytes + ETHERNET_LEN, entry);
}

static void mpls_ttl_0(struct frame *frame)
{
	label(frame, LABEL << MPLS_LABEL_SHIFT | MPLS_BOTTOM);
}

static void mpls_ttl_1(struct frame *frame)
{
	label(frame, LABEL << MPLS_LABEL_SHIFT | MPLS_BOTTOM | 1);
}

static void mpls_class_3(struct frame *frame)
{
	label(frame, LABEL << MPLS_LABEL_SHIFT | 3 << MPLS_CLASS_SHIFT | MPLS_BOTTOM | 9);
}

static void mpls_unknown(struct frame *frame)
{
	label(frame, 17 << MPLS_LABEL_SHIFT | MPLS_BOTTOM | 64);
}

static const struct kind mpls_kinds[] = {
	{"cut", cut},          {"another type", have_another_type},     {"ttl 0", mpls_ttl_0},
	{"ttl 1", mpls_ttl_1}, {"another class and ttl", mpls_class_3}, {"unknown", mpls_unknown},
};

static const struct kind l2_kinds[] = {
	{"runt", be_runt},
	{"cut", cut},
	{"another type", have_another_type},
	{"tag", bear_a_tag},
	{"broadcast", be_broadcast},
};

/* ---- Routers ---- */

static void add_route(struct ws_address address, uint8_t length, struct ws_address next_hop)
{
	struct ws_route route = {
		.prefix = {address, length},
		.path_count = 1,
		.paths = {{.next_hop = next_hop, .interface = -1}},
	};
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
}

static void make_ip4(void)
{
	struct ws_address host = ADDRESS(10, 0, 1, 2), other = ADDRESS(10, 0, 1, 3);
	rig_reset();
	ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 2), rig_host[0]);
	ws_router_neighbor_add(rig_router, 1, host, rig_host[1]);
	ws_router_neighbor_add(rig_router, 1, other, rig_host[0]);
	add_route(ADDRESS(48, 0, 0, 0), 8, host);
	add_route(ADDRESS(48, 0, 0, 77), 32, other);
}

static void make_ip6(void)
{
	make_ip4();
	for (uint8_t i = 0; i < 2; i++) {
		struct ws_prefix own = {address_of_ip6(IP6(i, 1)), 64};
		assert_int_equal(ws_router_address_add(rig_router, i, own), 0);
		ws_router_neighbor_add(rig_router, i, address_of_ip6(IP6(i, 2)), rig_host[i]);
	}
	ws_router_neighbor_add(rig_router, 1, address_of_ip6(IP6(1, 3)), rig_host[0]);
	/* So many routes that their list in the trie becomes a group. */
	for (uint8_t i = 0; i < 10; i++)
		add_route(address_of_ip6(IP6(0x40 + i, 0)), 48, address_of_ip6(IP6(1, 2)));
	add_route(address_of_ip6(IP6(0x48, 0x77)), 128, address_of_ip6(IP6(1, 3)));
}

static void make_mpls(void)
{
	struct ws_mpls_route swap = {
		.label = LABEL,
		.bottom = true,
		.payload = WS_IP4,
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2),
				   .interface = 1,
				   .label_count = 1,
				   .labels = {LABEL_OUT}}},
	};
	make_ip4();
	assert_int_equal(ws_router_mpls_table_add(rig_router), 0);
	assert_int_equal(ws_router_set_mpls(rig_router, 0, true), 0);
	assert_int_equal(ws_router_mpls_route_set(rig_router, &swap), 0);
}

static void make_l2(void)
{
	rig_reset();
	assert_int_equal(ws_router_set_xconnect(rig_router, 0, 1), 0);
}

/* ---- The tests ---- */

/* The burst's frames all differ, so that none can be mistaken for another. */
static struct frame frame_at(const struct frame *plain, int i, int odd, const struct kind *kind)
{
	struct frame frame = *plain;
	frame.bytes[frame.length - 1] = (uint8_t)i;
	if (i == odd)
		kind->bend(&frame);
	return frame;
}

/* Send a burst in which frame `odd` is changed, together or one by one. */
static struct outcome send_burst(void (*make)(void), const struct frame *plain, int odd,
								 const struct kind *kind, bool together)
{
	make();
	for (int i = 0; i < BURST; i++) {
		struct frame frame = frame_at(plain, i, odd, kind);
		if (together)
			rig_put(0, frame.bytes, frame.length);
		else
			rig_send(0, frame.bytes, frame.length);
	}
	rig_walk();
	ws_router_poll(rig_router);
	return outcome();
}

static void assert_alike(void (*make)(void), const struct frame *plain, const struct kind *kinds,
						 size_t count)
{
	static const int places[] = {0, 8, 15, BURST - 1};
	for (size_t k = 0; k < count; k++)
		for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
			struct outcome alone = send_burst(make, plain, places[p], &kinds[k], false);
			struct outcome together = send_burst(make, plain, places[p], &kinds[k], true);
			if (memcmp(&alone, &together, sizeof(alone)))
				fail_msg("%s at %d: %u and %u left one by one, %u and %u together", kinds[k].name,
						 places[p], alone.count[0], alone.count[1], together.count[0],
						 together.count[1]);
			assert_true(together.count[1] >= BURST - 1);
			assert_int_equal(rig_buffers_in_use(), 0);
		}
}

#define ASSERT_ALIKE(make, plain, kinds)                                                           \
	assert_alike(make, plain, kinds, sizeof(kinds) / sizeof((kinds)[0]))

static void ip4_packets_do_not_mind_their_neighbours(void **state)
{
	(void)state;
	struct frame plain = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 20);
	ASSERT_ALIKE(make_ip4, &plain, ip4_kinds);
}

static void ip6_packets_do_not_mind_their_neighbours(void **state)
{
	(void)state;
	struct frame plain = {.length = ETHERNET_LEN + IP6_LEN + UDP_LEN + 20};
	ethernet_write(plain.bytes, rig_mac[0], rig_host[0], ETHERNET_IP6);
	ip6_write(plain.bytes + ETHERNET_LEN, UDP_LEN + 20, IP6_UDP, 64, IP6(0, 2), IP6(0x48, 1));
	ASSERT_ALIKE(make_ip6, &plain, ip6_kinds);
}

static void labelled_packets_do_not_mind_their_neighbours(void **state)
{
	(void)state;
	struct frame plain = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 20);
	memmove(plain.bytes + ETHERNET_LEN + MPLS_LEN, plain.bytes + ETHERNET_LEN,
			plain.length - ETHERNET_LEN);
	plain.length += MPLS_LEN;
	ethernet_write(plain.bytes, rig_mac[0], rig_host[0], ETHERNET_MPLS);
	label(&plain, LABEL << MPLS_LABEL_SHIFT | MPLS_BOTTOM | 64);
	ASSERT_ALIKE(make_mpls, &plain, mpls_kinds);
}

static void bridged_frames_do_not_mind_their_neighbours(void **state)
{
	(void)state;
	struct frame plain = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 20);
	ASSERT_ALIKE(make_l2, &plain, l2_kinds);
}

int main(void)
{
	const struct CMUnitTest eight[] = {
		cmocka_unit_test(ip4_packets_do_not_mind_their_neighbours),
		cmocka_unit_test(ip6_packets_do_not_mind_their_neighbours),
		cmocka_unit_test(labelled_packets_do_not_mind_their_neighbours),
		cmocka_unit_test(bridged_frames_do_not_mind_their_neighbours),
	};
	return RIG_RUN(eight);
}
