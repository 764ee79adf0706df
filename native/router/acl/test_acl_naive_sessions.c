/* SPDX-License-Identifier: Apache-2.0 */
#include "router/acl/test_acl_naive_sessions.h"

#include "router/acl/acl_session.h"

#include <string.h>

enum { UDP_IDLE_S = 600, TCP_IDLE_S = 24 * 60 * 60, TCP_TRANSIENT_S = 120 };
enum { GRE = 47 };

struct naive_session {
	struct acl_facts first;
	bool is_output;
	uint8_t first_end, second_end; /* flags that each end has sent */
	uint64_t age_s;
};

struct acl_naive acl_naive;
static struct naive_session sessions[ACL_NAIVE_MOST_SESSIONS];
/* The router's counters when the evaluator was reset. */
static struct ws_acl_session_counters before;

static struct ws_acl_session_counters counters(void)
{
	struct ws_acl_session_counters found;
	ws_router_acl_session_counters(rig_router, &found);
	return found;
}

void acl_naive_reset(void)
{
	memset(&acl_naive, 0, sizeof(acl_naive));
	before = counters();
}

bool acl_is_echo(const struct acl_facts *facts, uint16_t *answer)
{
	uint16_t request = facts->is_ip6 ? 128 : 8, reply = facts->is_ip6 ? 129 : 0;
	*answer = facts->source_port == request ? reply : request;
	return facts->protocol == (facts->is_ip6 ? 58 : 1) && !facts->destination_port &&
		   (facts->source_port == request || facts->source_port == reply);
}

static bool is_icmp(const struct acl_facts *facts)
{
	return facts->protocol == IP4_ICMP || facts->protocol == IP6_ICMP;
}

static bool can_have_session(const struct acl_facts *facts)
{
	uint16_t answer;
	if (facts->is_later_fragment)
		return false;
	if (facts->protocol == GRE)
		return true;
	return !facts->is_cut && (!is_icmp(facts) || acl_is_echo(facts, &answer));
}

/* True if both belong to one session in the same, or with `is_answer` the opposite, direction. */
static bool is_same(const struct acl_facts *a, const struct acl_facts *b, bool is_answer)
{
	uint16_t answer;
	if (a->is_ip6 != b->is_ip6 || a->protocol != b->protocol ||
		memcmp(a->source, is_answer ? b->destination : b->source, 16) ||
		memcmp(a->destination, is_answer ? b->source : b->destination, 16))
		return false;
	if (a->protocol == GRE)
		return true;
	if (acl_is_echo(a, &answer))
		return a->identifier == b->identifier &&
			   b->source_port == (is_answer ? answer : a->source_port);
	return a->source_port == (is_answer ? b->destination_port : b->source_port) &&
		   a->destination_port == (is_answer ? b->source_port : b->destination_port);
}

static uint64_t timeout_of(const struct naive_session *session)
{
	uint8_t both = session->first_end & session->second_end,
			either = session->first_end | session->second_end;
	if (session->first.protocol != IP4_TCP)
		return UDP_IDLE_S;
	return (both & TCP_SYN) && (both & TCP_ACK) && !(either & (TCP_FIN | TCP_RST))
			   ? TCP_IDLE_S
			   : TCP_TRANSIENT_S;
}

static void forget(uint32_t index)
{
	sessions[index] = sessions[--acl_naive.session_count];
	acl_naive.gone++;
}

static uint8_t action_of(const struct acl_facts *facts, bool is_output)
{
	uint32_t count = acl_naive.rule_counts[is_output];
	uint32_t rule = acl_decide(acl_naive.rules[is_output], count, facts);
	return rule < count ? acl_naive.rules[is_output][rule].action : WS_ACL_DENY;
}

bool acl_naive_set(bool is_output, int32_t index, const struct ws_acl_rule *rules, uint32_t count)
{
	if (ws_router_acl_set(rig_router, index, "", rules, count) != is_output)
		return false;
	memcpy(acl_naive.rules[is_output], rules, count * sizeof(*rules));
	acl_naive.rule_counts[is_output] = count;
	for (uint32_t i = acl_naive.session_count; i-- > 0;)
		if (action_of(&sessions[i].first, sessions[i].is_output) != WS_ACL_PERMIT_REFLECT)
			forget(i);
	return true;
}

static void see(struct naive_session *session, const struct acl_facts *facts, bool is_first_end)
{
	bool is_greeting = (facts->tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
	uint8_t either = session->first_end | session->second_end;
	session->age_s = 0;
	if (facts->protocol != IP4_TCP)
		return;
	if (is_greeting && is_first_end && either & (TCP_FIN | TCP_RST))
		session->first_end = session->second_end = 0;
	*(is_first_end ? &session->first_end : &session->second_end) |= facts->tcp_flags;
}

bool acl_naive_passes(const struct acl_facts *facts, bool is_output)
{
	bool can = can_have_session(facts);
	for (uint32_t i = 0; can && i < acl_naive.session_count; i++) {
		bool is_answer = sessions[i].is_output != is_output;
		if (is_same(&sessions[i].first, facts, is_answer)) {
			see(&sessions[i], facts, !is_answer);
			return true;
		}
	}
	uint8_t action = action_of(facts, is_output);
	if (can && action == WS_ACL_PERMIT_REFLECT) {
		struct naive_session *made = &sessions[acl_naive.session_count++];
		*made = (struct naive_session){.first = *facts, .is_output = is_output};
		see(made, facts, true);
		acl_naive.created++;
	}
	return action != WS_ACL_DENY;
}

bool acl_router_passes(const struct acl_facts *facts, bool is_output)
{
	struct frame in = acl_frame_of(facts);
	rig_send(is_output ? 1 : 0, in.bytes, in.length);
	return rig_take(is_output ? 0 : 1).length > 0;
}

struct acl_facts acl_answer_to(const struct acl_facts *facts, uint8_t tcp_flags)
{
	struct acl_facts answer = *facts;
	memcpy(answer.source, facts->destination, 16);
	memcpy(answer.destination, facts->source, 16);
	if (is_icmp(facts)) {
		acl_is_echo(facts, &answer.source_port);
	} else {
		answer.source_port = facts->destination_port;
		answer.destination_port = facts->source_port;
	}
	if (facts->protocol == IP4_TCP)
		answer.tcp_flags = tcp_flags;
	return answer;
}

void acl_naive_let_pass(uint32_t seconds)
{
	struct acl_sessions *table = acls_of(rig_router)->sessions;
	for (uint32_t i = 1; table && i <= table->highest; i++)
		table->at[i].seen -= seconds * rig_router->tsc_hz;
	for (uint32_t i = acl_naive.session_count; i-- > 0;) {
		sessions[i].age_s += seconds;
		if (sessions[i].age_s > timeout_of(&sessions[i]))
			forget(i);
	}
}

void acl_naive_sweep(void)
{
	struct acl_sessions *table = acls_of(rig_router)->sessions;
	uint32_t most = table ? table->highest / 1024 + 16 : 0;
	for (uint32_t i = 0; i < most; i++) {
		table->next_sweep = 0;
		acl_sessions_age(rig_router);
	}
}

bool acl_naive_agrees(void)
{
	struct ws_acl_session read[64];
	uint32_t cursor = 0, seen = 0;
	acl_naive_sweep();
	for (int count; (count = ws_router_acl_sessions(rig_router, &cursor, read, 64)) > 0;)
		seen += (uint32_t)count;
	struct ws_acl_session_counters now = counters();
	return seen == acl_naive.session_count && now.active == acl_naive.session_count &&
		   now.created - before.created == acl_naive.created &&
		   now.expired + now.deleted - before.expired - before.deleted == acl_naive.gone;
}
