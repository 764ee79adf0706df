/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule sets and packets, through the classifier and the table of sessions, compared with an
 * evaluator that applies rules one after the other and keeps its sessions in a list.
 *
 * The first byte of the input gives the numbers of rules for e0's input (low three bits, plus one)
 * and output (the next three bits); the rules follow, of nine bytes each. Steps follow, whose first
 * byte (low three bits) gives the kind: a packet, of seven more bytes; the reply to the last one;
 * time that passes; other rules for one direction; or a frame of arbitrary bytes, which must only
 * be accounted for and is the last step.
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "router/acl/test_acl_naive_sessions.h"
#include "wirespeed/acl_sessions.h"
#include "wirespeed/interfaces.h"

enum { RULE_LEN = 9, FACTS_LEN = 7, MOST_PACKETS = 256 };
enum step { PACKET, PACKET_TOO, ANSWER, ANSWER_TOO, TIME, RULES, PIECES, BYTES, STEPS };

static const uint8_t protocols[] = {0, IP4_ICMP, IP4_TCP, IP4_UDP, IP6_ICMP, IP4_SCTP, 47, 255};

struct input {
	const uint8_t *at;
	size_t left;
};

static const uint8_t *take(struct input *input, size_t length)
{
	const uint8_t *at = input->at;
	if (input->left < length)
		return NULL;
	input->at += length;
	input->left -= length;
	return at;
}

static void read_address(uint8_t *address, bool is_ip6, uint8_t from)
{
	memset(address, 0, IP6_ADDRESS_LEN);
	address[0] = is_ip6 ? 0x20 : 16;
	address[1] = from & 1;
	address[is_ip6 ? 9 : 2] = from >> 1 & 3;
	address[is_ip6 ? 15 : 3] = from >> 3;
}

static struct ws_prefix read_prefix(bool is_ip6, const uint8_t *bytes)
{
	struct ws_prefix prefix = {.address.family = is_ip6 ? WS_IP6 : WS_IP4,
							   .length = bytes[1] % (is_ip6 ? 129 : 33)};
	read_address(prefix.address.bytes, is_ip6, bytes[0]);
	return prefix;
}

static void read_range(uint8_t byte, uint16_t *first, uint16_t *last)
{
	*first = byte >> 4 & 7;
	*last = byte & 0x80 ? (uint16_t)(*first + (byte & 15)) : UINT16_MAX;
}

static struct ws_acl_rule read_rule(const uint8_t *bytes)
{
	bool is_ip6 = bytes[0] & 4;
	struct ws_acl_rule rule = {
		.action = (bytes[0] & 3) % 3,
		.protocol = protocols[bytes[0] >> 5],
		.source_last = UINT16_MAX,
		.destination_last = UINT16_MAX,
		.source = read_prefix(is_ip6, bytes + 1),
		.destination = read_prefix(is_ip6, bytes + 3),
	};
	if (!acl_upper_length(rule.protocol))
		return rule;
	if (bytes[0] & 8)
		read_range(bytes[5], &rule.source_first, &rule.source_last);
	if (bytes[0] & 16)
		read_range(bytes[6], &rule.destination_first, &rule.destination_last);
	if (rule.protocol == IP4_TCP) {
		rule.tcp_flags_mask = bytes[7];
		rule.tcp_flags_value = bytes[8];
	}
	return rule;
}

static bool set_rules(struct input *input, bool is_output, int32_t index, uint32_t count)
{
	struct ws_acl_rule rules[ACL_NAIVE_MOST_RULES];
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *bytes = take(input, RULE_LEN);
		if (!bytes)
			return false;
		rules[i] = read_rule(bytes);
	}
	FUZZ_ASSERT(acl_naive_set(is_output, index, rules, count));
	return true;
}

static struct acl_facts read_facts(const uint8_t *bytes)
{
	struct acl_facts facts = {
		.is_ip6 = bytes[0] & 1,
		.is_later_fragment = (bytes[0] & 6) == 6,
		.is_cut = (bytes[0] & 24) == 24,
		.protocol = protocols[1 + (bytes[0] >> 5) % (sizeof(protocols) - 2)],
		.tcp_flags = bytes[3],
		.source_port = bytes[4],
		.destination_port = bytes[5],
	};
	read_address(facts.source, facts.is_ip6, bytes[1]);
	read_address(facts.destination, facts.is_ip6, bytes[2]);
	if (facts.protocol == IP4_ICMP || facts.protocol == IP6_ICMP)
		facts.identifier = bytes[6];
	return facts;
}

static void judge(const struct acl_facts *facts, bool is_output)
{
	bool is_expected = acl_naive_passes(facts, is_output);
	FUZZ_ASSERT(acl_router_passes(facts, is_output) == is_expected);
	FUZZ_ASSERT(rig_buffers_in_use() == 0);
}

/* False at the end of the input. */
static bool take_step(struct input *input, struct acl_facts *last, bool *last_is_output)
{
	const uint8_t *how = take(input, 1), *facts;
	struct frame frame = {0};
	if (!how)
		return false;
	bool is_output = *how & 8;
	switch ((enum step)(*how & 7)) {
	case ANSWER:
	case ANSWER_TOO:
		*last = acl_answer_to(last, *how >> 3);
		*last_is_output = !*last_is_output;
		judge(last, *last_is_output);
		return true;
	case TIME:
		acl_naive_let_pass((uint32_t)(*how >> 4) * 47);
		FUZZ_ASSERT(!is_output || acl_naive_agrees());
		return true;
	case RULES:
		return set_rules(input, is_output, is_output, 1 + (*how >> 4) % ACL_NAIVE_MOST_RULES);
	case PIECES:
	case BYTES:
		frame.length = RTE_MIN(input->left, sizeof(frame.bytes));
		if (!frame.length)
			return false;
		memcpy(frame.bytes, input->at, frame.length);
		router_target_send(frame.bytes, frame.length,
						   *how & 1 ? sizeof(frame.bytes) : 16 + (size_t)(*how >> 4));
		return false;
	default:
		facts = take(input, FACTS_LEN);
		if (!facts)
			return false;
		*last = read_facts(facts);
		*last_is_output = is_output;
		judge(last, is_output);
		return true;
	}
}

void router_target_extend(void)
{
	const struct ws_acl_rule any = {.source_last = UINT16_MAX,
									.destination_last = UINT16_MAX,
									.source.address.family = WS_IP4,
									.destination.address.family = WS_IP4};
	/* For sessions, time passes only by steps of the input. */
	rig_router->tsc_hz = 1000000000000u;
	for (uint16_t i = 0; i < 2; i++) {
		FUZZ_ASSERT(!ws_router_set_xconnect(rig_router, i, !i));
		FUZZ_ASSERT(ws_router_acl_set(rig_router, -1, "", &any, 1) == i);
	}
	FUZZ_ASSERT(!ws_router_acl_interface_set(rig_router, 0, false, (uint32_t[]){0}, 1));
	FUZZ_ASSERT(!ws_router_acl_interface_set(rig_router, 0, true, (uint32_t[]){1}, 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	struct acl_facts last = {.protocol = IP4_UDP};
	bool last_is_output = false;
	const uint8_t *counts = take(&input, 1);
	if (!counts)
		return 0;
	ws_router_acl_sessions_clear(rig_router);
	acl_naive_reset();
	if (!set_rules(&input, false, 0, 1 + (*counts & 7)) ||
		!set_rules(&input, true, 1, 1 + (*counts >> 3 & 7)))
		return 0;
	for (int packets = 0; packets < MOST_PACKETS; packets++)
		if (!take_step(&input, &last, &last_is_output))
			break;
	return 0;
}
