/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of ACLs, compiled for rte_acl. */
#include "dev/error.h"
#include "router/acl/acl.h"
#include "router/acl/acl_key.h"

#include <errno.h>
#include <rte_acl.h>
#include <stdio.h>
#include <stdlib.h>

enum { IP4_WORDS = 1, IP6_WORDS = 4, MOST_FIELDS = 1 + 2 * IP6_WORDS + 5 };

/* Fields behind the addresses, in this order. */
enum upper_field { SOURCE_PORT, DESTINATION_PORT, TCP_FLAGS, PORTS, UNUSED, UPPER_FIELDS };

RTE_ACL_RULE_DEF(acl_compiled_rule, MOST_FIELDS);

static int address_words(int family)
{
	return family ? IP6_WORDS : IP4_WORDS;
}

static int field_count(int family)
{
	return 1 + 2 * address_words(family) + UPPER_FIELDS;
}

/* Fields of the same `word` of the key share its four bytes. */
static struct rte_acl_field_def define(uint8_t type, uint8_t size, int field, int word,
									   size_t offset)
{
	return (struct rte_acl_field_def){
		.type = type,
		.size = size,
		.field_index = (uint8_t)field,
		.input_index = (uint8_t)word,
		.offset = (uint32_t)offset,
	};
}

static struct rte_acl_config define_fields(int family)
{
	int words = 2 * address_words(family), field = words + 1;
	size_t upper =
		family ? offsetof(struct acl_ip6_key, upper) : offsetof(struct acl_ip4_key, upper);
	struct rte_acl_config config = {.num_categories = 1,
									.num_fields = (uint32_t)field_count(family)};
	struct rte_acl_field_def *defs = config.defs;
	defs[0] = define(RTE_ACL_FIELD_TYPE_BITMASK, 1, 0, 0, 0);
	for (int word = 1; word <= words; word++)
		defs[word] = define(RTE_ACL_FIELD_TYPE_MASK, 4, word, word, (size_t)word * 4);
	defs[field] = define(RTE_ACL_FIELD_TYPE_RANGE, 2, field, words + 1, upper);
	defs[field + 1] = define(RTE_ACL_FIELD_TYPE_RANGE, 2, field + 1, words + 1, upper + 2);
	defs[field + 2] = define(RTE_ACL_FIELD_TYPE_BITMASK, 1, field + 2, words + 2, upper + 4);
	defs[field + 3] = define(RTE_ACL_FIELD_TYPE_BITMASK, 1, field + 3, words + 2, upper + 5);
	defs[field + 4] = define(RTE_ACL_FIELD_TYPE_BITMASK, 2, field + 4, words + 2, upper + 6);
	return config;
}

static void write_prefix(struct rte_acl_field *fields, const struct ws_prefix *prefix, int words)
{
	for (int word = 0; word < words; word++) {
		uint32_t value;
		int bits = prefix->length - 32 * word;
		memcpy(&value, prefix->address.bytes + 4 * (size_t)word, sizeof(value));
		fields[word].value.u32 = be32toh(value);
		fields[word].mask_range.u32 = (uint32_t)(bits < 0 ? 0 : bits > 32 ? 32 : bits);
	}
}

static bool asks_for_upper(const struct ws_acl_rule *rule)
{
	return acl_asks_for_ports(rule) || rule->tcp_flags_mask;
}

/* A rule with ports becomes two: one for packets with readable ports, one for later fragments. */
static void write_upper(struct rte_acl_field *fields, const struct ws_acl_rule *rule,
						bool is_of_fragments)
{
	memset(fields, 0, UPPER_FIELDS * sizeof(*fields));
	fields[SOURCE_PORT].mask_range.u16 = fields[DESTINATION_PORT].mask_range.u16 = UINT16_MAX;
	if (!asks_for_upper(rule))
		return;
	fields[PORTS].mask_range.u8 = UINT8_MAX;
	fields[PORTS].value.u8 = is_of_fragments ? ACL_PORTS_OF_FIRST_FRAGMENT : ACL_PORTS_READ;
	if (is_of_fragments)
		return;
	fields[SOURCE_PORT].value.u16 = rule->source_first;
	fields[SOURCE_PORT].mask_range.u16 = rule->source_last;
	fields[DESTINATION_PORT].value.u16 = rule->destination_first;
	fields[DESTINATION_PORT].mask_range.u16 = rule->destination_last;
	fields[TCP_FLAGS].value.u8 = rule->tcp_flags_value & rule->tcp_flags_mask;
	fields[TCP_FLAGS].mask_range.u8 = rule->tcp_flags_mask;
}

static int add_rule(struct rte_acl_ctx *classifier, const struct ws_acl_rule *rule, uint32_t number)
{
	int family = family_index(rule->source.address.family), words = address_words(family);
	struct acl_compiled_rule compiled = {
		.data = {.category_mask = 1,
				 .priority = (int32_t)(RTE_ACL_MAX_PRIORITY - number),
				 .userdata = number},
	};
	compiled.field[0].value.u8 = rule->protocol;
	compiled.field[0].mask_range.u8 = rule->protocol ? UINT8_MAX : 0;
	write_prefix(compiled.field + 1, &rule->source, words);
	write_prefix(compiled.field + 1 + words, &rule->destination, words);
	int error = 0;
	for (int fragments = 0; fragments <= asks_for_upper(rule) && !error; fragments++) {
		write_upper(compiled.field + 1 + 2 * words, rule, fragments);
		error = rte_acl_add_rules(classifier, (struct rte_acl_rule *)(void *)&compiled, 1);
	}
	return error;
}

/* The current or the future rules of an ACL. */
struct acl_view {
	const struct acl_table *table;
	uint32_t replaced;
	const struct acl_rules *rules;
};

static const struct acl_rules *rules_of(const struct acl_view *view, uint32_t acl)
{
	return view->rules && acl == view->replaced ? view->rules : view->table->acls[acl];
}

static int add_rules(struct rte_acl_ctx *classifier, const struct acl_list *list,
					 const struct acl_view *view, int family)
{
	uint32_t number = 0;
	int error = 0;
	for (uint32_t i = 0; i < list->acl_count; i++) {
		const struct acl_rules *acl = rules_of(view, list->acls[i]);
		for (uint32_t r = 0; r < acl->count && !error; r++) {
			number++;
			if (family_index(acl->rules[r].source.address.family) == family)
				error = add_rule(classifier, &acl->rules[r], number);
		}
	}
	return error;
}

static int compile(struct acl_list *list, const struct acl_view *view, int family, uint32_t count)
{
	static uint32_t serial; /* rte_acl returns the existing context if a name is used twice */
	char name[RTE_ACL_NAMESIZE];
	snprintf(name, sizeof(name), "acl-%u", serial++);
	const struct rte_acl_param param = {
		.name = name,
		.socket_id = SOCKET_ID_ANY,
		.rule_size = RTE_ACL_RULE_SZ((uint32_t)field_count(family)),
		.max_rule_num = 2 * count,
	};
	struct rte_acl_config config = define_fields(family);
	list->classifiers[family] = rte_acl_create(&param);
	int error = list->classifiers[family] ? 0 : -ENOMEM;
	if (!error)
		error = add_rules(list->classifiers[family], list, view, family);
	if (!error)
		error = rte_acl_build(list->classifiers[family], &config);
	return error ? fail(error,
						"%u rules of IPv%d cannot be compiled: %s; give the router more "
						"memory, or fewer rules",
						count, family ? 6 : 4, strerror(-error))
				 : 0;
}

/* Fill in the verdicts and whether one reflects; count the rules of each family. */
static void judge(struct acl_list *list, const struct acl_view *view, uint32_t counts[2])
{
	uint32_t number = 0;
	for (uint32_t i = 0; i < list->acl_count; i++) {
		const struct acl_rules *acl = rules_of(view, list->acls[i]);
		for (uint32_t r = 0; r < acl->count; r++) {
			list->verdicts[++number] = (struct acl_verdict){
				.counts = acl->counts.first + r,
				.lane_len = (uint16_t)acl->counts.lane_len,
				.acl = (uint16_t)list->acls[i],
				.rule = (uint16_t)r,
				.is_permitted = acl->rules[r].action != WS_ACL_DENY,
				.is_reflected = acl->rules[r].action == WS_ACL_PERMIT_REFLECT,
			};
			list->reflects |= list->verdicts[number].is_reflected;
			counts[family_index(acl->rules[r].source.address.family)]++;
		}
	}
}

struct acl_list *acl_list_make(const struct acl_table *table, const uint32_t *acls, uint32_t count,
							   uint32_t replaced, const struct acl_rules *rules)
{
	const struct acl_view view = {table, replaced, rules};
	struct acl_list *list = calloc(1, sizeof(*list) + count * sizeof(list->acls[0]));
	uint32_t total = 1, counts[2] = {0};
	for (uint32_t i = 0; i < count; i++)
		total += rules_of(&view, acls[i])->count;
	if (list)
		list->verdicts = calloc(total, sizeof(*list->verdicts));
	if (!list || !list->verdicts) {
		fail(-ENOMEM, "no memory for a list of %u rules", total - 1);
		acl_list_free(list);
		return NULL;
	}
	list->acl_count = count;
	memcpy(list->acls, acls, count * sizeof(*acls));
	judge(list, &view, counts);
	for (int family = 0; family < 2; family++)
		if (counts[family] && compile(list, &view, family, counts[family])) {
			acl_list_free(list);
			return NULL;
		}
	return list;
}

void acl_list_free(struct acl_list *list)
{
	if (!list)
		return;
	rte_acl_free(list->classifiers[0]);
	rte_acl_free(list->classifiers[1]);
	free(list->verdicts);
	free(list);
}

bool acl_list_has(const struct acl_list *list, uint32_t acl)
{
	bool found = false;
	for (uint32_t i = 0; list && i < list->acl_count; i++)
		found |= list->acls[i] == acl;
	return found;
}

bool acl_list_reflects(const struct acl_list *list, int family, const union acl_key *key)
{
	const uint8_t *data = (const uint8_t *)key;
	uint32_t result = 0;
	if (list->classifiers[family] &&
		rte_acl_classify(list->classifiers[family], &data, &result, 1, 1))
		return false;
	return list->verdicts[result].is_reflected;
}
