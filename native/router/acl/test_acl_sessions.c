/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that permit and reflect, compared with an evaluator that stores its sessions in a list. */
#include "router/acl/acl_session.h"
#include "router/acl/test_acl_naive_sessions.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wirespeed/interfaces.h"

#include <errno.h>
#include <string.h>

enum { STEPS = ACL_NAIVE_MOST_SESSIONS, OUTPUT = 1, TCP_TRANSIENT_S = 120 };

static struct acl_sessions *table(void)
{
	return acls_of(rig_router)->sessions;
}

static struct ws_acl_session_counters counters(void)
{
	struct ws_acl_session_counters found;
	ws_router_acl_session_counters(rig_router, &found);
	return found;
}

/* Few ports and addresses, and flags of connections that open and close. */
static struct acl_facts draw_packet(void)
{
	static const uint8_t flags[] = {2, 2, 18, 18, 16, 16, 24, 17, 4};
	static const uint16_t types[2][3] = {{8, 0, 3}, {128, 129, 1}};
	struct acl_facts facts = acl_draw_facts();
	if (acl_draw(2))
		facts.protocol = IP4_TCP;
	facts.tcp_flags = facts.protocol == IP4_TCP ? flags[acl_draw(sizeof(flags))] : 0;
	facts.identifier = 0;
	if (facts.protocol == IP4_ICMP || facts.protocol == IP6_ICMP) {
		facts.source_port = types[facts.is_ip6][acl_draw(3)];
		facts.destination_port = !acl_draw(8);
		facts.identifier = (uint16_t)acl_draw(2);
	}
	return facts;
}

static struct acl_facts answer_to(const struct acl_facts *facts)
{
	static const uint8_t flags[] = {18, 16, 18, 17, 4};
	return acl_answer_to(facts, flags[acl_draw(sizeof(flags))]);
}

static void replace(bool is_output, int32_t index)
{
	struct ws_acl_rule rules[ACL_NAIVE_MOST_RULES];
	uint32_t count = 1 + acl_draw(ACL_NAIVE_MOST_RULES);
	for (uint32_t i = 0; i < count; i++) {
		rules[i] = acl_draw_rule(3);
		/* Short prefixes, so that many packets match. */
		rules[i].source.length /= (uint8_t)(1 + acl_draw(4));
		rules[i].destination.length /= (uint8_t)(1 + acl_draw(4));
	}
	assert_true(acl_naive_set(is_output, index, rules, count));
}

/* 12 000 packets, some hundred pairs of rule sets, and years of simulated time. */
static void agrees_with_a_naive_evaluator(void **state)
{
	(void)state;
	static const uint32_t whiles_s[] = {49, 131, 701, 90001};
	struct acl_facts last = {0};
	bool last_is_output = false;
	uint32_t passed = 0, hits = 0;
	acl_naive_reset();
	replace(false, -1);
	replace(true, -1);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, (uint32_t[]){0}, 1), 0);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, true, (uint32_t[]){1}, 1), 0);
	for (int step = 0; step < STEPS; step++) {
		bool is_answer = acl_draw(2);
		struct acl_facts facts = is_answer ? answer_to(&last) : draw_packet();
		bool is_output = is_answer ? !last_is_output : acl_draw(2);
		uint64_t before = acl_naive.created;
		if (!acl_draw(40))
			acl_naive_let_pass(whiles_s[acl_draw(4)]);
		if (!acl_draw(60)) {
			bool which = acl_draw(2);
			replace(which, which);
		}
		if (!acl_draw(200))
			assert_true(acl_naive_agrees());
		bool is_expected = acl_naive_passes(&facts, is_output);
		assert_int_equal(acl_router_passes(&facts, is_output), is_expected);
		passed += is_expected;
		hits += is_expected && acl_naive.created == before;
		last = facts;
		last_is_output = is_output;
	}
	assert_true(acl_naive_agrees());
	assert_in_range(passed, STEPS / 5, STEPS * 4 / 5);
	assert_in_range(counters().hits, STEPS / 20, hits);
	assert_in_range(acl_naive.created, STEPS / 20, STEPS / 2);
	/* Without ACLs at the interface there are no sessions. */
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, NULL, 0), 0);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, true, NULL, 0), 0);
	assert_int_equal(counters().active, 0);
}

static const struct ws_acl_rule reflect_all = {
	.action = WS_ACL_PERMIT_REFLECT,
	.source_last = UINT16_MAX,
	.destination_last = UINT16_MAX,
	.source.address.family = WS_IP4,
	.destination.address.family = WS_IP4,
};

/* ACL 0 reflects packets received by e0, and ACL 1 denies all that are sent. */
static void reflect_input(void)
{
	struct ws_acl_rule deny = reflect_all;
	deny.action = WS_ACL_DENY;
	assert_int_equal(ws_router_acl_set(rig_router, -1, "in", &reflect_all, 1), 0);
	assert_int_equal(ws_router_acl_set(rig_router, -1, "out", &deny, 1), 1);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, (uint32_t[]){0}, 1), 0);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, true, (uint32_t[]){1}, 1), 0);
}

static struct acl_facts udp(uint16_t port)
{
	return (struct acl_facts){.protocol = IP4_UDP,
							  .source = {16, 0, 0, 1},
							  .destination = {48, 0, 0, 1},
							  .source_port = port,
							  .destination_port = 53};
}

static void refuses_more_than_there_is_room_for(void **state)
{
	(void)state;
	struct ws_acl_session_settings settings;
	ws_router_acl_session_settings(rig_router, &settings);
	assert_int_equal(settings.most, 500000);
	settings.most = 4;
	assert_int_equal(ws_router_acl_session_set(rig_router, &settings), 0);
	reflect_input();
	for (uint16_t port = 0; port < 6; port++) {
		struct acl_facts facts = udp(port), answer = answer_to(&facts);
		assert_int_equal(acl_router_passes(&facts, false), port < 4);
		assert_int_equal(acl_router_passes(&answer, OUTPUT), port < 4);
	}
	assert_int_equal(counters().refused, 2);
	assert_int_equal(rig_counter("acl-plugin-in-l2", "too many sessions to add new"), 2);
	assert_int_equal(rig_counter("acl-plugin-in-l2", "new sessions added"), 4);
	assert_int_equal(rig_counter("acl-plugin-in-l2", "ACL permit packets"), 4);
	assert_int_equal(rig_counter("e0-acl-plugin-out", "existing session packets"), 4);
	settings.most = 5;
	assert_int_equal(ws_router_acl_session_set(rig_router, &settings), -EBUSY);
	settings.most = 4;
	settings.timeouts_s[WS_ACL_UDP_IDLE] = 0;
	assert_int_equal(ws_router_acl_session_set(rig_router, &settings), -EINVAL);
	/* A sweep frees the slots of expired sessions. */
	settings.timeouts_s[WS_ACL_UDP_IDLE] = 9;
	assert_int_equal(ws_router_acl_session_set(rig_router, &settings), 0);
	acl_naive_let_pass(10);
	acl_naive_sweep();
	assert_int_equal(counters().expired, 4);
	struct acl_facts late = udp(7);
	assert_true(acl_router_passes(&late, false));
	ws_router_acl_sessions_clear(rig_router);
	assert_int_equal(counters().deleted, 1);
	struct acl_facts answer = answer_to(&late);
	assert_false(acl_router_passes(&answer, OUTPUT));
}

/* Packets of one frame in order: the second one belongs to the session that the first one opens,
 * though no rule permits it. */
static void packets_of_one_frame_are_in_turn(void **state)
{
	(void)state;
	struct ws_acl_rule greeting = reflect_all;
	struct acl_facts facts = udp(9);
	greeting.protocol = IP4_TCP;
	greeting.tcp_flags_mask = TCP_SYN | TCP_ACK;
	greeting.tcp_flags_value = TCP_SYN;
	facts.protocol = IP4_TCP;
	reflect_input();
	assert_int_equal(ws_router_acl_set(rig_router, 0, "in", &greeting, 1), 0);
	for (int i = 0; i < 4; i++) {
		facts.tcp_flags = i ? TCP_ACK : TCP_SYN;
		facts.source_port = (uint16_t)(i / 2);
		struct frame frame = acl_frame_of(&facts);
		rig_put(0, frame.bytes, frame.length);
	}
	rig_walk();
	assert_true(rig_take(1).length > 0);
	assert_true(rig_take(1).length > 0);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(counters().hits, 1);
	struct ws_acl_session session;
	uint32_t cursor = 0;
	assert_int_equal(ws_router_acl_sessions(rig_router, &cursor, &session, 1), 1);
	assert_int_equal(session.source_tcp_flags, TCP_SYN | TCP_ACK);
	assert_int_equal(session.timeout_s, TCP_TRANSIENT_S);
}

/* A deleted sub-interface takes its sessions along; sessions of the same packets on other
 * interfaces stay. */
static void go_with_their_interface(void **state)
{
	(void)state;
	const struct ws_subinterface vlan = {.id = 7, .outer = 7, .exact = true};
	reflect_input();
	struct acl_facts facts = udp(1);
	assert_true(acl_router_passes(&facts, false));
	int made = ws_router_subinterface_add(rig_router, 1, &vlan);
	assert_true(made > 0);
	uint16_t sub = (uint16_t)made;
	assert_int_equal(ws_router_acl_interface_set(rig_router, sub, true, (uint32_t[]){0}, 1), 0);
	union acl_session_key key = table()->at[1].key;
	key.tuple.interface = sub;
	assert_int_equal(acl_session_open(table(), &key, 0, true, graph_tsc()), ACL_OPENED);
	assert_int_equal(counters().active, 2);
	assert_int_equal(ws_router_interface_delete(rig_router, sub), 0);
	assert_int_equal(counters().active, 1);
	assert_int_equal(counters().deleted, 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, crossed, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(agrees_with_a_naive_evaluator),
		TEST(refuses_more_than_there_is_room_for),
		TEST(packets_of_one_frame_are_in_turn),
		TEST(go_with_their_interface),
	};
	return RIG_RUN(tests);
}
