/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An evaluator of rules that permit and reflect, with sessions in a list. Its interface is e0, with
 * ACL 0 on input and ACL 1 on output.
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

/* Delete all rules and sessions. */
void acl_naive_reset(void);
/* Set the rules of one direction's ACL, here and in the router; false if the router refuses. */
bool acl_naive_set(bool is_output, int32_t index, const struct ws_acl_rule *rules, uint32_t count);
/* True if the evaluator lets the packet pass; updates its sessions. */
bool acl_naive_passes(const struct acl_facts *facts, bool is_output);
bool acl_router_passes(const struct acl_facts *facts, bool is_output);
/* True for ICMP echo; `answer` becomes the type of the reply. */
bool acl_is_echo(const struct acl_facts *facts, uint16_t *answer);
/* The reply to a packet, with these flags if it is TCP. */
struct acl_facts acl_answer_to(const struct acl_facts *facts, uint8_t tcp_flags);

/* Advance the clock for the router's sessions, if it has a table, and the evaluator's. */
void acl_naive_let_pass(uint32_t seconds);
/* Remove expired sessions from the whole router table. */
void acl_naive_sweep(void);
/* Sweep; then compare the numbers of sessions, of those opened and of those closed. */
bool acl_naive_agrees(void);
