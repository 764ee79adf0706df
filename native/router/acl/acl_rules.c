/* SPDX-License-Identifier: Apache-2.0 */
/* ACLs: creating, replacing, deleting and reading them. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/acl/acl_key.h"
#include "router/acl/acl_session.h"
#include "router/acl/acl_table.h"
#include "router/interface/interface_settings.h"
#include "wire/address.h"
#include "wire/own_count.h"
#include "wirespeed/acls.h"

#include <errno.h>
#include <stdlib.h>

static int check_prefix(const struct ws_prefix *prefix, uint32_t rule)
{
	uint8_t family = prefix->address.family;
	if (family != WS_IP4 && family != WS_IP6)
		return fail(-EINVAL, "rule %u has a prefix of no family; give IPv4 or IPv6", rule);
	if (prefix->length > address_bits(family))
		return fail(-EINVAL, "rule %u has a prefix of %u bits; at most %u", rule, prefix->length,
					address_bits(family));
	return 0;
}

static int check_ports(const struct ws_acl_rule *rule, uint32_t number)
{
	if (rule->source_first > rule->source_last || rule->destination_first > rule->destination_last)
		return fail(-EINVAL,
					"rule %u: its port range goes from high to low; give the lower port first",
					number);
	if (acl_asks_for_ports(rule) && !acl_upper_length(rule->protocol))
		return fail(-EINVAL,
					"rule %u has ports, or ICMP types, but protocol %u; they are for protocols "
					"1, 6, 17, 58 and 132",
					number, rule->protocol);
	if (rule->tcp_flags_mask && rule->protocol != IP4_TCP)
		return fail(-EINVAL, "rule %u has TCP flags, but protocol %u; they are for protocol 6",
					number, rule->protocol);
	return 0;
}

static int check_rule(const struct ws_acl_rule *rule, uint32_t number)
{
	if (rule->action > WS_ACL_PERMIT_REFLECT)
		return fail(-EINVAL, "rule %u has action %u; 0 denies, 1 permits, 2 reflects too", number,
					rule->action);
	if (rule->source.address.family != rule->destination.address.family)
		return fail(-EINVAL, "rule %u has prefixes of two families; give two of one", number);
	int error = check_prefix(&rule->source, number);
	if (!error)
		error = check_prefix(&rule->destination, number);
	return error ? error : check_ports(rule, number);
}

static void free_rules(struct ws_router *router, struct acl_rules *rules)
{
	if (!rules)
		return;
	stats_pairs_hide(router, &rules->counts);
	stats_pairs_free(router, &rules->counts);
	free(rules);
}

static struct acl_rules *make_rules(struct ws_router *router, const char *tag,
									const struct ws_acl_rule *wanted, uint32_t count)
{
	struct acl_rules *rules = calloc(1, sizeof(*rules) + count * sizeof(*wanted));
	if (!rules)
		fail(-ENOMEM, "no memory for an ACL of %u rules", count);
	if (!rules || stats_pairs_make(router, count, &rules->counts)) {
		free(rules);
		return NULL;
	}
	strncpy(rules->tag, tag, sizeof(rules->tag) - 1);
	rules->count = count;
	memcpy(rules->rules, wanted, count * sizeof(*wanted));
	for (uint32_t i = 0; i < count; i++) {
		rules->rules[i].source = prefix_network(wanted[i].source);
		rules->rules[i].destination = prefix_network(wanted[i].destination);
	}
	return rules;
}

/* Lists that contain the ACL: old, and recompiled with the new rules. */
struct change {
	uint32_t count;
	struct {
		struct acl_list *old, *fresh;
	} at[ACL_DIRECTIONS * WS_MAX_INTERFACES];
};

static struct acl_list *fresh_of(const struct change *change, const struct acl_list *old)
{
	for (uint32_t i = 0; i < change->count; i++)
		if (change->at[i].old == old)
			return change->at[i].fresh;
	return NULL;
}

static struct acl_list **each_list(struct acl_table *table, uint32_t *at)
{
	struct acl_list **lists = &table->lists[0][0];
	while (*at < (uint32_t)ACL_DIRECTIONS * WS_MAX_INTERFACES && !lists[*at])
		++*at;
	return *at < (uint32_t)ACL_DIRECTIONS * WS_MAX_INTERFACES ? &lists[(*at)++] : NULL;
}

static int compile_changed(struct acl_table *table, uint32_t index, const struct acl_rules *rules,
						   struct change *change)
{
	struct acl_list **place;
	for (uint32_t at = 0; (place = each_list(table, &at));) {
		struct acl_list *old = *place;
		if (!acl_list_has(old, index) || fresh_of(change, old))
			continue;
		struct acl_list *fresh = acl_list_make(table, old->acls, old->acl_count, index, rules);
		if (!fresh)
			return -ENOMEM;
		fresh->users = old->users;
		change->at[change->count].old = old;
		change->at[change->count++].fresh = fresh;
	}
	return 0;
}

static void take_changed(struct ws_router *router, const struct change *change)
{
	struct acl_list **place;
	for (uint32_t at = 0; change->count && (place = each_list(acls_of(router), &at));) {
		struct acl_list *fresh = fresh_of(change, *place);
		if (!fresh)
			continue;
		acl_reflect_before(acls_of(router), (uint16_t)((at - 1) % WS_MAX_INTERFACES), fresh);
		__atomic_store_n(place, fresh, __ATOMIC_RELEASE);
	}
	rcu_synchronize();
	if (!change->count)
		return;
	for (uint16_t i = 0; i < router->interface_count; i++)
		acl_reflect_after(acls_of(router), i);
	acl_sessions_judge(router);
}

/* Publish under VPP's names; readers see either the old counters or the new ones. */
static void show_counts(struct ws_router *router, uint32_t index, struct acl_rules *old,
						struct acl_rules *rules)
{
	char name[STATS_NAME_LEN];
	snprintf(name, sizeof(name), "/acl/%u/matches", index);
	stats_lock(&router->stats);
	if (old)
		stats_pairs_hide(router, &old->counts);
	stats_pairs_show(router, &rules->counts, name);
	stats_unlock(&router->stats);
}

static int replace(struct ws_router *router, uint32_t index, struct acl_rules *rules)
{
	struct acl_table *table = acls_of(router);
	struct change *change = calloc(1, sizeof(*change));
	struct acl_rules *old = table->acls[index];
	if (!change) {
		free_rules(router, rules);
		return fail(-ENOMEM, "no memory to replace an ACL");
	}
	int error = compile_changed(table, index, rules, change);
	if (!error) {
		table->acls[index] = rules;
		take_changed(router, change);
		show_counts(router, index, old, rules);
	}
	for (uint32_t i = 0; i < change->count; i++)
		acl_list_free(error ? change->at[i].fresh : change->at[i].old);
	free(change);
	free_rules(router, error ? rules : old);
	return error;
}

static int free_index(const struct acl_table *table)
{
	for (int index = 0; index < WS_MAX_ACLS; index++)
		if (!table->acls[index])
			return index;
	return fail(-ENOSPC, "there are %d ACLs, which is the most; delete one", WS_MAX_ACLS);
}

int ws_router_acl_set(struct ws_router *router, int32_t index, const char *tag,
					  const struct ws_acl_rule *wanted, uint32_t count)
{
	if (!count || count > WS_MAX_ACL_RULES)
		return fail(-EINVAL, "%u rules; an ACL takes 1 to %d", count, WS_MAX_ACL_RULES);
	if (strlen(tag) >= WS_ACL_TAG_LEN)
		return fail(-EINVAL, "the tag is too long; give at most %d bytes", WS_ACL_TAG_LEN - 1);
	for (uint32_t i = 0; i < count; i++)
		if (check_rule(&wanted[i], i))
			return -EINVAL;
	if (index >= 0 && acl_check(router, (uint32_t)index))
		return -ENOENT;
	struct acl_table *table = acl_table(router);
	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (wanted[i].action == WS_ACL_PERMIT_REFLECT && acl_sessions_make(router))
			return -ENOMEM;
	if (index < 0)
		index = free_index(table);
	struct acl_rules *rules = index < 0 ? NULL : make_rules(router, tag, wanted, count);
	if (!rules)
		return index < 0 ? index : -ENOMEM;
	int error = replace(router, (uint32_t)index, rules);
	return error ? error : index;
}

int ws_router_acl_del(struct ws_router *router, uint32_t index)
{
	struct acl_list **place;
	if (acl_check(router, index))
		return -ENOENT;
	for (uint32_t at = 0; (place = each_list(acls_of(router), &at));)
		if (acl_list_has(*place, index))
			return fail(-EEXIST, "ACL %u is in use on %s; take it from there first", index,
						interface_name(router, (uint16_t)((at - 1) % WS_MAX_INTERFACES)));
	free_rules(router, acls_of(router)->acls[index]);
	acls_of(router)->acls[index] = NULL;
	return 0;
}

int ws_router_acl_next(struct ws_router *router, uint32_t from)
{
	for (; acls_of(router) && from < (uint32_t)WS_MAX_ACLS; from++)
		if (acls_of(router)->acls[from])
			return (int)from;
	return -ENOENT;
}

static struct ws_acl_count count_of(const struct ws_router *router, const struct acl_rules *rules,
									uint32_t rule)
{
	struct ws_acl_count sum = {0};
	for (uint32_t worker = 0; worker < router->worker_count; worker++) {
		struct own_pair pair =
			own_pair_read(&rules->counts.first[worker * rules->counts.lane_len + rule]);
		sum.packets += pair.packets;
		sum.bytes += pair.bytes;
	}
	return sum;
}

int ws_router_acl(struct ws_router *router, uint32_t index, char *tag, struct ws_acl_rule *out,
				  struct ws_acl_count *counts, uint32_t max)
{
	if (acl_check(router, index))
		return -ENOENT;
	const struct acl_rules *rules = acls_of(router)->acls[index];
	memcpy(tag, rules->tag, sizeof(rules->tag));
	for (uint32_t i = 0; i < rules->count && i < max; i++) {
		out[i] = rules->rules[i];
		counts[i] = count_of(router, rules, i);
	}
	return (int)rules->count;
}

static void acls_free(struct ws_router *router)
{
	struct acl_list **place;
	if (!acls_of(router))
		return;
	for (uint32_t at = 0; (place = each_list(acls_of(router), &at));)
		if (!--(*place)->users)
			acl_list_free(*place);
	for (int i = 0; i < WS_MAX_ACLS; i++)
		free_rules(router, acls_of(router)->acls[i]);
}

ROUTER_MODULE(acl_rules_module, .name = "acl-rules", .after = {"acl"}, .free = acls_free)
