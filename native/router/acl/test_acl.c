/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ACLs compared with an evaluator that applies them one after the other. */
#include "router/acl/test_acl_naive.h"
#include "tests/accounted.h"
#include "tests/failing_graphs.h"
#include "tests/rig_tests.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 24, RULE_SETS = 250, PACKETS = 24 };

static bool check_packet(const struct ws_acl_rule *rules, uint32_t count, uint64_t *counts)
{
	struct acl_facts facts = acl_draw_facts();
	struct frame in = acl_frame_of(&facts);
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(1);
	uint32_t rule = acl_decide(rules, count, &facts);
	assert_int_equal(out.length > 0, rule < count && rules[rule].action == WS_ACL_PERMIT);
	if (rule < count)
		counts[rule]++;
	return rule < count;
}

/* The rules are distributed over two ACLs, which are replaced again and again under traffic. */
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
		uint32_t count = 2 + acl_draw(MOST_RULES - 1), first = 1 + acl_draw(count - 1);
		for (uint32_t i = 0; i < count; i++)
			rules[i] = acl_draw_rule(2);
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
	assert_int_equal(ws_router_acl_set(rig_router, -1, "", &rule, WS_MAX_ACL_RULES + 1), -EINVAL);
	assert_string_equal(ws_error(), "16385 rules; an ACL takes 1 to 16384");
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

/* A sub-interface is deleted with its ACLs, and loopbacks have none for output. */
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

static bool is_walked(const char *node)
{
	return graph_node(rig_router->workers[0]->graph, node) != NULL;
}

/* The nodes of a direction are set all or not at all, and so is the list. */
static void nodes_that_cannot_all_be_set_change_nothing(void **state)
{
	(void)state;
	const uint32_t acl[] = {0};
	uint32_t read[WS_MAX_INTERFACE_ACLS];
	struct features *features = &rig_router->features;
	assert_int_equal(ws_router_acl_set(rig_router, -1, "", &permit_all, 1), 0);
	/* Room for two more nodes, of three. */
	const uint16_t others = features->count;
	while (features->count < FEATURES_MAX_ON - 2)
		features->on[features->count++] = (struct graph_feature_on){"ip4-rx-urpf-loose", NO_PORT};
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, acl, 1), -ENOSPC);
	assert_int_equal(features->count, FEATURES_MAX_ON - 2);
	features->count = others;
	assert_int_equal(ws_router_acl_interface(rig_router, 0, false, read), 0);
	let_graphs_fail(true);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, acl, 1), -EINVAL);
	assert_int_equal(features->count, others);
	let_graphs_fail(false);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, acl, 1), 0);
	assert_true(is_walked("acl-plugin-in-ip4-fa") && is_walked("acl-plugin-in-l2"));
	let_graphs_fail(true);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, NULL, 0), -EINVAL);
	let_graphs_fail(false);
	assert_int_equal(ws_router_acl_interface(rig_router, 0, false, read), 1);
	assert_int_equal(features->count, others + 3);
	assert_int_equal(ws_router_acl_interface_set(rig_router, 0, false, NULL, 0), 0);
	assert_int_equal(features->count, others);
	assert_false(is_walked("acl-plugin-in-ip4-fa") || is_walked("acl-plugin-in-l2"));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, crossed, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(agrees_with_a_naive_evaluator),
		TEST(refuses_what_cannot_be),
		TEST(goes_with_its_interface),
		TEST(nodes_that_cannot_all_be_set_change_nothing),
	};
	return RIG_RUN(tests);
}
