/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ACLs against an evaluator that goes through them one after the other. */
#include "router/acl/acl_key.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 24, RULE_SETS = 250, PACKETS = 24, IP_AT = ETHERNET_LEN };

static uint64_t seed = 1;

/* Less than `below`. SplitMix64, as published (Steele, Lea, Flood 2014). */
static uint32_t draw(uint32_t below)
{
	uint64_t mixed = seed += 0x9e3779b97f4a7c15u;
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((mixed ^ mixed >> 31) % below);
}

/* What a packet is, of few enough values that rules fit. */
struct facts {
	bool is_ip6, is_later_fragment, is_cut;
	uint8_t protocol, tcp_flags;
	uint8_t source[IP6_ADDRESS_LEN], destination[IP6_ADDRESS_LEN];
	uint16_t source_port, destination_port;
};

static const uint8_t protocols[] = {IP4_ICMP, IP4_TCP, IP4_UDP, IP6_ICMP, IP4_SCTP, 47};

static void draw_address(uint8_t *address, bool is_ip6)
{
	memset(address, 0, IP6_ADDRESS_LEN);
	address[0] = is_ip6 ? 0x20 : 16;
	address[1] = (uint8_t)draw(2);
	address[is_ip6 ? 9 : 2] = (uint8_t)draw(3);
	address[is_ip6 ? 15 : 3] = (uint8_t)draw(4);
}

static struct facts draw_facts(void)
{
	struct facts facts = {
		.is_ip6 = draw(2),
		.is_later_fragment = !draw(8),
		.is_cut = !draw(8),
		.protocol = protocols[draw(sizeof(protocols))],
		.tcp_flags = (uint8_t)draw(64),
		.source_port = (uint16_t)draw(4),
		.destination_port = (uint16_t)draw(4),
	};
	draw_address(facts.source, facts.is_ip6);
	draw_address(facts.destination, facts.is_ip6);
	return facts;
}

static struct ws_prefix draw_prefix(bool is_ip6)
{
	struct ws_prefix prefix = {.address.family = is_ip6 ? WS_IP6 : WS_IP4};
	draw_address(prefix.address.bytes, is_ip6);
	prefix.length = (uint8_t)draw(is_ip6 ? 129 : 33);
	return prefix;
}

static struct ws_acl_rule draw_rule(void)
{
	bool is_ip6 = draw(2);
	struct ws_acl_rule rule = {
		.action = (uint8_t)draw(2),
		.protocol = draw(3) ? protocols[draw(sizeof(protocols))] : 0,
		.source_last = UINT16_MAX,
		.destination_last = UINT16_MAX,
		.source = draw_prefix(is_ip6),
		.destination = draw_prefix(is_ip6),
	};
	if (acl_upper_length(rule.protocol) && draw(2)) {
		rule.source_first = (uint16_t)draw(3);
		rule.source_last = (uint16_t)(rule.source_first + draw(3));
	}
	if (acl_upper_length(rule.protocol) && draw(2)) {
		rule.destination_first = (uint16_t)draw(3);
		rule.destination_last = (uint16_t)(rule.destination_first + draw(3));
	}
	if (rule.protocol == IP4_TCP && draw(2)) {
		rule.tcp_flags_mask = (uint8_t)draw(64);
		rule.tcp_flags_value = (uint8_t)draw(64);
	}
	return rule;
}

static bool is_in(const uint8_t *address, const struct ws_prefix *prefix)
{
	for (int bit = 0; bit < prefix->length; bit++)
		if ((address[bit / 8] ^ prefix->address.bytes[bit / 8]) & 0x80 >> bit % 8)
			return false;
	return true;
}

static bool fits(const struct ws_acl_rule *rule, const struct facts *facts)
{
	if (facts->is_ip6 != (rule->source.address.family == WS_IP6) ||
		!is_in(facts->source, &rule->source) || !is_in(facts->destination, &rule->destination) ||
		(rule->protocol && rule->protocol != facts->protocol))
		return false;
	bool asks = acl_asks_for_ports(rule) || rule->tcp_flags_mask;
	if (!asks || facts->is_later_fragment)
		return true;
	return !facts->is_cut && facts->source_port >= rule->source_first &&
		   facts->source_port <= rule->source_last &&
		   facts->destination_port >= rule->destination_first &&
		   facts->destination_port <= rule->destination_last &&
		   !((facts->tcp_flags ^ rule->tcp_flags_value) & rule->tcp_flags_mask);
}

/* The first rule that fits, or `count`. */
static uint32_t decide(const struct ws_acl_rule *rules, uint32_t count, const struct facts *facts)
{
	uint32_t rule = 0;
	while (rule < count && !fits(&rules[rule], facts))
		rule++;
	return rule;
}

static size_t write_upper(uint8_t *bytes, const struct facts *facts)
{
	memset(bytes, 0, 20);
	if (facts->is_cut)
		return 1;
	if (acl_upper_length(facts->protocol) == 2) {
		bytes[0] = (uint8_t)facts->source_port;
		bytes[1] = (uint8_t)facts->destination_port;
	} else {
		bytes[1] = (uint8_t)facts->source_port;
		bytes[3] = (uint8_t)facts->destination_port;
	}
	if (facts->protocol == IP4_TCP)
		bytes[13] = facts->tcp_flags;
	return 20;
}

static struct frame frame_of(const struct facts *facts)
{
	struct frame frame = frame_udp(0, 0, 0);
	uint8_t *ip = frame.bytes + IP_AT;
	if (facts->is_ip6) {
		size_t at = IP6_LEN;
		ethernet_write(frame.bytes, rig_host[1], rig_host[0], ETHERNET_IP6);
		ip6_write(ip, 0, facts->protocol, 64, facts->source, facts->destination);
		if (facts->is_later_fragment) {
			ip[IP6_NEXT_AT] = IP6_FRAGMENT;
			memcpy(ip + at, (uint8_t[]){facts->protocol, 0, 1, 0, 0, 0, 0, 9}, 8);
			at += 8;
		}
		frame.length = IP_AT + at + write_upper(ip + at, facts);
		return frame;
	}
	struct ip4_header *header = (struct ip4_header *)(void *)ip;
	header->protocol = facts->protocol;
	memcpy(&header->source, facts->source, 4);
	memcpy(&header->destination, facts->destination, 4);
	header->fragment = htobe16(facts->is_later_fragment ? 100 : 0);
	frame.length = IP_AT + IP4_LEN + write_upper(ip + IP4_LEN, facts);
	frame_finish(&frame);
	return frame;
}

static int crossed(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_set_xconnect(rig_router, 0, 1) | ws_router_set_xconnect(rig_router, 1, 0);
}

static bool check_packet(const struct ws_acl_rule *rules, uint32_t count, uint64_t *counts)
{
	struct facts facts = draw_facts();
	struct frame in = frame_of(&facts);
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(1);
	uint32_t rule = decide(rules, count, &facts);
	assert_int_equal(out.length > 0, rule < count && rules[rule].action == WS_ACL_PERMIT);
	if (rule < count)
		counts[rule]++;
	return rule < count;
}

/* The rules are dealt out over two ACLs, which are replaced again and again while they are used. */
static void agrees_with_a_naive_evaluator(void **state)
{
	(void)state;
	struct ws_acl_rule rules[MOST_RULES], read[MOST_RULES];
	struct ws_acl_count read_counts[MOST_RULES];
	char tag[WS_ACL_TAG_LEN];
	const uint32_t both[] = {0, 1};
	uint32_t decided = 0;
	for (int set = 0; set < RULE_SETS; set++) {
		uint64_t counts[MOST_RULES] = {0};
		uint32_t count = 2 + draw(MOST_RULES - 1), first = 1 + draw(count - 1);
		for (uint32_t i = 0; i < count; i++)
			rules[i] = draw_rule();
		assert_int_equal(ws_router_acl_set(rig_router, set ? 0 : -1, "a", rules, first), 0);
		assert_int_equal(
			ws_router_acl_set(rig_router, set ? 1 : -1, "b", rules + first, count - first), 1);
		if (!set)
			assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, both, 2), 0);
		for (int i = 0; i < PACKETS; i++)
			decided += check_packet(rules, count, counts);
		assert_int_equal(ws_router_acl(rig_router, 0, tag, read, read_counts, MOST_RULES), first);
		ws_router_acl(rig_router, 1, tag, read + first, read_counts + first, MOST_RULES - first);
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(read_counts[i].packets, counts[i]);
	}
	assert_string_equal(tag, "b");
	assert_in_range(decided, RULE_SETS * PACKETS / 4, RULE_SETS * PACKETS * 3 / 4);
}

static const struct ws_acl_rule permit_all = {
	.action = WS_ACL_PERMIT,
	.source_last = UINT16_MAX,
	.destination_last = UINT16_MAX,
	.source.address.family = WS_IP4,
	.destination.address.family = WS_IP4,
};

static void refuses_what_cannot_be(void **state)
{
	(void)state;
	struct ws_acl_rule rule = permit_all;
	const uint32_t twice[] = {0, 0};
	assert_int_equal(ws_router_acl_set(rig_router, -1, "", &rule, 0), -EINVAL);
	assert_int_equal(ws_router_acl_set(rig_router, 3, "", &rule, 1), -ENOENT);
	rule.destination.address.family = WS_IP6;
	assert_int_equal(ws_router_acl_set(rig_router, -1, "", &rule, 1), -EINVAL);
	rule = permit_all;
	rule.source.length = 33;
	assert_int_equal(ws_router_acl_set(rig_router, -1, "", &rule, 1), -EINVAL);
	assert_int_equal(ws_router_acl_next(rig_router, 0), -ENOENT);
	assert_int_equal(ws_router_acl_set(rig_router, -1, "", &permit_all, 1), 0);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, true, twice, 2), -EEXIST);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, true, twice, 1), 0);
	assert_int_equal(ws_router_acl_del(rig_router, 0), -EEXIST);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, true, NULL, 0), 0);
	assert_int_equal(ws_router_acl_del(rig_router, 0), 0);
	assert_int_equal(ws_router_acl_del(rig_router, 0), -ENOENT);
}

/* A sub-interface goes with its ACLs, and loopbacks have none for output. */
static void goes_with_its_interface(void **state)
{
	(void)state;
	const uint32_t acl[] = {0};
	const struct ws_subinterface vlan = {.id = 7, .outer = 7, .exact = true};
	assert_int_equal(ws_router_acl_set(rig_router, -1, "", &permit_all, 1), 0);
	int made = ws_router_subinterface_add(rig_router, 1, &vlan);
	assert_true(made > 0);
	uint16_t sub = (uint16_t)made;
	assert_int_equal(ws_router_acl_interface_set(rig_router, sub, true, acl, 1), 0);
	assert_non_null(graph_node(rig_router->workers[0]->graph, "e1-acl-plugin-out"));
	assert_int_equal(ws_router_interface_delete(rig_router, sub), 0);
	assert_null(graph_node(rig_router->workers[0]->graph, "e1-acl-plugin-out"));
	assert_int_equal(ws_router_acl_del(rig_router, 0), 0);
}

static int all_accounted(void **state)
{
	(void)state;
	struct ws_router_totals totals = rig_totals();
	assert_int_equal(totals.rx_packets, totals.tx_packets + totals.drops + totals.punts);
	assert_int_equal(rig_buffers_in_use(), 0);
	return 0;
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, crossed, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(agrees_with_a_naive_evaluator),
		TEST(refuses_what_cannot_be),
		TEST(goes_with_its_interface),
	};
	return RIG_RUN(tests);
}
