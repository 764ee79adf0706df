/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access lists. Data that workers read is never changed in place: new rules are in new memory, and
 * the old memory is freed after a grace period. Only counters are written in place, by each worker
 * in its own part.
 */
#pragma once

#include "router/module.h"
#include "router/observe/stats_pairs.h"
#include "wirespeed/acl_sessions.h"
#include "wirespeed/acls.h"

#include <stdbool.h>
#include <stdint.h>

struct acl_sessions;
struct rte_acl_ctx;
union acl_key;

enum acl_direction { ACL_INPUT, ACL_OUTPUT, ACL_DIRECTIONS };

/* An ACL as it was set. */
struct acl_rules {
	char tag[WS_ACL_TAG_LEN];
	uint32_t count;
	struct stats_pairs counts; /* counters of each rule: /acl/N/matches */
	struct ws_acl_rule rules[];
};

/* Verdict of a rule, numbered over all ACLs of a list. */
struct acl_verdict {
	struct own_pair *counts; /* counters of the first worker */
	uint16_t lane_len;
	uint16_t acl, rule; /* for traces */
	bool is_permitted, is_reflected;
};

/* The ACLs of one direction of one or more interfaces, in order. */
struct acl_list {
	struct rte_acl_ctx *classifiers[2]; /* by family_index; NULL if no rule is of that family */
	struct acl_verdict *verdicts; /* by the classifier's result; [0]: no rule matched, denied */
	bool reflects;                /* one of its rules reflects */
	uint32_t users;
	uint32_t acl_count;
	uint32_t acls[];
};

struct acl_table {
	struct acl_sessions *sessions; /* NULL before the first rule that reflects */
	/* Interfaces whose packets are looked up in `sessions`; set before a reflecting list takes
	 * effect, and cleared after the last one. */
	bool reflects[WS_MAX_INTERFACES];
	struct acl_list *lists[ACL_DIRECTIONS][WS_MAX_INTERFACES]; /* NULL: all packets pass */
	struct acl_rules *acls[WS_MAX_ACLS];
	struct ws_acl_session_settings session_settings;
};

extern struct router_module acl_module;

/* NULL before the first ACL; not NULL in nodes that use it. */
static inline struct acl_table *acls_of(const struct ws_router *router)
{
	return module_state(router, &acl_module);
}

/* Compile the ACLs, with `rules` in place of those of the ACL `replaced` (NULL: none is replaced).
 * NULL, with an error text, on failure. */
struct acl_list *acl_list_make(const struct acl_table *table, const uint32_t *acls, uint32_t count,
							   uint32_t replaced, const struct acl_rules *rules);
void acl_list_free(struct acl_list *list);
bool acl_list_has(const struct acl_list *list, uint32_t acl);
/* True if the first matching rule permits and reflects. */
bool acl_list_reflects(const struct acl_list *list, int family, const union acl_key *key);
