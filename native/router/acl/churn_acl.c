/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: rules, sessions, and the interfaces that use them. */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/acl_sessions.h"
#include "wirespeed/acls.h"

enum { RULES = 40 };

static int32_t acls[2] = {-1, -1};

/* Some deny, some permit, and all but the last may reflect. */
static void set_rules(struct ws_router *router, uint64_t *row, uint32_t which, bool reflects)
{
	struct ws_acl_rule rules[RULES];
	uint32_t count = 2 + churn_draw(row, RULES - 2);
	for (uint32_t i = 0; i < count; i++) {
		rules[i] = (struct ws_acl_rule){
			.action = (uint8_t)churn_draw(row, reflects ? 3 : 2),
			.source_first = 0,
			.source_last = UINT16_MAX,
			.destination_last = UINT16_MAX,
			.source = PREFIX(10, 0, churn_draw(row, 4), 0, 24),
			.destination = PREFIX(49, 0, churn_draw(row, 64), 0, 24),
		};
	}
	rules[count - 1] = (struct ws_acl_rule){
		.action = reflects ? WS_ACL_PERMIT_REFLECT : WS_ACL_PERMIT,
		.source_last = UINT16_MAX,
		.destination_last = UINT16_MAX,
		.source = PREFIX(0, 0, 0, 0, 0),
		.destination = PREFIX(0, 0, 0, 0, 0),
	};
	int index = ws_router_acl_set(router, acls[which], "churn", rules, count);
	churn_expect(index, "ACL");
	acls[which] = index;
}

static void access_list(struct ws_router *router, uint64_t *row, bool on)
{
	set_rules(router, row, 0, false);
	const uint32_t one = (uint32_t)acls[0];
	churn_expect(ws_router_acl_interface_set(router, 0, false, &one, on), "ACL in");
	churn_expect(ws_router_acl_interface_set(router, 2, true, &one, on), "ACL out");
	set_rules(router, row, 0, false);
	if (on)
		return;
	churn_expect(ws_router_acl_del(router, one), "ACL away");
	acls[0] = -1;
}

static void sessions(struct ws_router *router, uint64_t *row, bool on)
{
	set_rules(router, row, 1, true);
	const uint32_t one = (uint32_t)acls[1];
	churn_expect(ws_router_acl_interface_set(router, 1, true, &one, on), "ACL with sessions");
	if (churn_draw(row, 2))
		ws_router_acl_sessions_clear(router);
	set_rules(router, row, 1, churn_draw(row, 2));
}

static void lists(struct ws_router *router, uint64_t *row)
{
	static struct ws_acl_session found[64];
	struct ws_acl_count counts[RULES];
	struct ws_acl_rule rules[RULES];
	char tag[WS_ACL_TAG_LEN];
	uint32_t cursor = 0;
	(void)row;
	ws_router_acl_sessions(router, &cursor, found, 64);
	for (int i = 0; i < 2; i++)
		if (acls[i] >= 0)
			ws_router_acl(router, (uint32_t)acls[i], tag, rules, counts, RULES);
}
CHURN(access_list)
CHURN(sessions)
CHURN_READ(lists)
