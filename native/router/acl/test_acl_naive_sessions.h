/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that permit and reflect, by an evaluator that keeps its sessions in a list: those of the
 * interface e0, whose input has ACL 0 and whose output ACL 1.
 */
#pragma once

#include "router/acl/test_acl_naive.h"

enum { ACL_NAIVE_MOST_RULES = 8, ACL_NAIVE_MOST_SESSIONS = 12000 };

struct acl_naive {
	struct ws_acl_rule rules[2][ACL_NAIVE_MOST_RULES]; /* of input and output */
	uint32_t rule_counts[2];
	uint32_t session_count;
	uint64_t created, gone;
};
extern struct acl_naive acl_naive;

/* Neither rules nor sessions. */
void acl_naive_reset(void);
/* Give one direction's ACL these rules, here and in the router; false when it refuses. */
bool acl_naive_set(bool is_output, int32_t index, const struct ws_acl_rule *rules, uint32_t count);
/* True if the packet passes by the evaluator, which updates its sessions. */
bool acl_naive_passes(const struct acl_facts *facts, bool is_output);
bool acl_router_passes(const struct acl_facts *facts, bool is_output);
/* ICMP echo; `answer` is the type that answers it. */
bool acl_is_echo(const struct acl_facts *facts, uint16_t *answer);
/* The answer to a packet, with these flags if it is TCP. */
struct acl_facts acl_answer_to(const struct acl_facts *facts, uint8_t tcp_flags);

/* For the router's sessions, if it has a table, and the evaluator's. */
void acl_naive_let_pass(uint32_t seconds);
/* Take out what is old in all of the router's table. */
void acl_naive_sweep(void);
/* Sweep; then both have as many sessions, and have made and lost as many. */
bool acl_naive_agrees(void);
