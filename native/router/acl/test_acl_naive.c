/* SPDX-License-Identifier: Apache-2.0 */
#include "router/acl/test_acl_naive.h"

#include "wire/ethernet.h"
#include "wire/splitmix.h"

#include <string.h>

enum { IP_AT = ETHERNET_LEN };

static uint64_t seed = 1;

uint32_t acl_draw(uint32_t below)
{
	return (uint32_t)(splitmix_draw(&seed) % below);
}

static const uint8_t protocols[] = {IP4_ICMP, IP4_TCP, IP4_UDP, IP6_ICMP, IP4_SCTP, 47};

static void draw_address(uint8_t *address, bool is_ip6)
{
	memset(address, 0, IP6_ADDRESS_LEN);
	address[0] = is_ip6 ? 0x20 : 16;
	address[1] = (uint8_t)acl_draw(2);
	address[is_ip6 ? 9 : 2] = (uint8_t)acl_draw(3);
	address[is_ip6 ? 15 : 3] = (uint8_t)acl_draw(4);
}

struct acl_facts acl_draw_facts(void)
{
	struct acl_facts facts = {
		.is_ip6 = acl_draw(2),
		.is_later_fragment = !acl_draw(8),
		.is_cut = !acl_draw(8),
		.protocol = protocols[acl_draw(sizeof(protocols))],
		.tcp_flags = (uint8_t)acl_draw(64),
		.source_port = (uint16_t)acl_draw(4),
		.destination_port = (uint16_t)acl_draw(4),
	};
	draw_address(facts.source, facts.is_ip6);
	draw_address(facts.destination, facts.is_ip6);
	return facts;
}

static struct ws_prefix draw_prefix(bool is_ip6)
{
	struct ws_prefix prefix = {.address.family = is_ip6 ? WS_IP6 : WS_IP4};
	draw_address(prefix.address.bytes, is_ip6);
	prefix.length = (uint8_t)acl_draw(is_ip6 ? 129 : 33);
	return prefix;
}

struct ws_acl_rule acl_draw_rule(uint32_t actions)
{
	bool is_ip6 = acl_draw(2);
	struct ws_acl_rule rule = {
		.action = (uint8_t)acl_draw(actions),
		.protocol = acl_draw(3) ? protocols[acl_draw(sizeof(protocols))] : 0,
		.source_last = UINT16_MAX,
		.destination_last = UINT16_MAX,
		.source = draw_prefix(is_ip6),
		.destination = draw_prefix(is_ip6),
	};
	if (acl_upper_length(rule.protocol) && acl_draw(2)) {
		rule.source_first = (uint16_t)acl_draw(3);
		rule.source_last = (uint16_t)(rule.source_first + acl_draw(3));
	}
	if (acl_upper_length(rule.protocol) && acl_draw(2)) {
		rule.destination_first = (uint16_t)acl_draw(3);
		rule.destination_last = (uint16_t)(rule.destination_first + acl_draw(3));
	}
	if (rule.protocol == IP4_TCP && acl_draw(2)) {
		rule.tcp_flags_mask = (uint8_t)acl_draw(64);
		rule.tcp_flags_value = (uint8_t)acl_draw(64);
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

static bool fits(const struct ws_acl_rule *rule, const struct acl_facts *facts)
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

uint32_t acl_decide(const struct ws_acl_rule *rules, uint32_t count, const struct acl_facts *facts)
{
	uint32_t rule = 0;
	while (rule < count && !fits(&rules[rule], facts))
		rule++;
	return rule;
}

static size_t write_upper(uint8_t *bytes, const struct acl_facts *facts)
{
	memset(bytes, 0, 20);
	if (facts->is_cut)
		return 1;
	if (acl_upper_length(facts->protocol) == 2) {
		bytes[0] = (uint8_t)facts->source_port;
		bytes[1] = (uint8_t)facts->destination_port;
		bytes[4] = (uint8_t)(facts->identifier >> 8);
		bytes[5] = (uint8_t)facts->identifier;
	} else {
		bytes[1] = (uint8_t)facts->source_port;
		bytes[3] = (uint8_t)facts->destination_port;
	}
	if (facts->protocol == IP4_TCP)
		bytes[13] = facts->tcp_flags;
	return 20;
}

struct frame acl_frame_of(const struct acl_facts *facts)
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
