/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A router that reports the decisions of its ACLs line by line, for tests with random rules and
 * packets. `rules D N` and N lines of rules: e0's ACL of direction D (0 input, 1 output), which
 * always exists. `packet D HEX`: a frame through the cross-connect of e0 and e1; the reply is
 * whether it was forwarded (0, 1), the rule that counted it or -1, and the number of sessions.
 * `clear`: delete the sessions.
 */
#include "router/router.h"
#include "tests/router_rig.h"
#include "wirespeed/acl_sessions.h"
#include "wirespeed/acls.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 64, LINE_LEN = 2 * RIG_MAX_FRAME + 64 };

struct counts {
	int count;
	uint64_t at[MOST_RULES];
};

static void stop(const char *why)
{
	fprintf(stderr, "acl_answers: %s: %s\n", why, ws_error());
	exit(1);
}

static size_t read_hex(const char *text, uint8_t *bytes, size_t room)
{
	size_t length = 0;
	unsigned int byte;
	while (length < room && sscanf(text + 2 * length, "%2x", &byte) == 1)
		bytes[length++] = (uint8_t)byte;
	return length;
}

static struct ws_acl_rule read_rule(const char *line)
{
	struct ws_acl_rule rule = {0};
	char source[33], destination[33];
	int length = sscanf(line,
						"%" SCNu8 " %" SCNu8 " %" SCNu8 " %" SCNu8 " %" SCNu16 " %" SCNu16
						" %" SCNu16 " %" SCNu16 " %32s %" SCNu8 " %32s %" SCNu8,
						&rule.action, &rule.protocol, &rule.tcp_flags_mask, &rule.tcp_flags_value,
						&rule.source_first, &rule.source_last, &rule.destination_first,
						&rule.destination_last, source, &rule.source.length, destination,
						&rule.destination.length);
	if (length != 12)
		stop("no rule");
	uint8_t family = strlen(source) > 8 ? WS_IP6 : WS_IP4;
	rule.source.address.family = rule.destination.address.family = family;
	read_hex(source, rule.source.address.bytes, sizeof(rule.source.address.bytes));
	read_hex(destination, rule.destination.address.bytes, sizeof(rule.destination.address.bytes));
	return rule;
}

static void take_rules(uint32_t direction, uint32_t count)
{
	struct ws_acl_rule rules[MOST_RULES];
	char line[LINE_LEN];
	for (uint32_t i = 0; i < count && i < MOST_RULES; i++) {
		if (!fgets(line, sizeof(line), stdin))
			stop("rules are missing");
		rules[i] = read_rule(line);
	}
	if (ws_router_acl_set(rig_router, (int32_t)direction, "", rules, count) < 0)
		stop("no rules");
}

static struct counts read_counts(uint32_t direction)
{
	struct ws_acl_rule rules[MOST_RULES];
	struct ws_acl_count found[MOST_RULES];
	struct counts counts;
	char tag[WS_ACL_TAG_LEN];
	counts.count = ws_router_acl(rig_router, direction, tag, rules, found, MOST_RULES);
	for (int i = 0; i < counts.count; i++)
		counts.at[i] = found[i].packets;
	return counts;
}

static void answer(uint32_t direction, const char *hex)
{
	struct frame frame;
	struct ws_acl_session_counters sessions;
	struct counts before = read_counts(direction);
	frame.length = read_hex(hex, frame.bytes, sizeof(frame.bytes));
	rig_send(direction ? 1 : 0, frame.bytes, frame.length);
	bool came = rig_take(direction ? 0 : 1).length > 0;
	struct counts after = read_counts(direction);
	int rule = after.count;
	while (--rule >= 0 && after.at[rule] == before.at[rule])
		;
	ws_router_acl_session_counters(rig_router, &sessions);
	printf("%d %d %" PRIu64 "\n", came, rule, sessions.active);
	fflush(stdout);
}

static void begin(void)
{
	const struct ws_acl_rule any = {.source_last = UINT16_MAX,
									.destination_last = UINT16_MAX,
									.source.address.family = WS_IP4,
									.destination.address.family = WS_IP4};
	int error = rig_start();
	if (error)
		exit(error);
	for (uint16_t i = 0; i < 2 && !error; i++) {
		const uint32_t acl = i;
		error = ws_router_set_xconnect(rig_router, i, !i);
		if (!error && ws_router_acl_set(rig_router, -1, "", &any, 1) != i)
			error = -1;
		if (!error)
			error = ws_router_acl_interface_set(rig_router, 0, i, &acl, 1);
	}
	if (error)
		stop("no ACLs");
}

int main(void)
{
	char line[LINE_LEN];
	uint32_t direction, count;
	int at;
	begin();
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "rules %" SCNu32 " %" SCNu32, &direction, &count) == 2)
			take_rules(direction, count);
		else if (sscanf(line, "packet %" SCNu32 " %n", &direction, &at) == 1)
			answer(direction, line + at);
		else if (!strcmp(line, "clear\n"))
			ws_router_acl_sessions_clear(rig_router);
		else
			stop(line);
	}
	rig_stop();
	return 0;
}
