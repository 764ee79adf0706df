/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/prefix_tree.h"

#include "router/fib/address_space.h"
#include "wire/address.h"

#include <endian.h>
#include <string.h>

/* A prefix, or with value 0 a mere branching point. */
struct node {
	uint32_t below[2];
	uint32_t value; /* in a free node: the next free one */
	uint8_t length;
	uint8_t unused[3]; /* the first 4 or 16 bytes of the prefix follow */
};

enum { IP4_KEY = 4, IP6_KEY = 16 };

static size_t key_size(uint8_t family)
{
	return family == WS_IP4 ? IP4_KEY : IP6_KEY;
}

/* The first bits of a prefix, as numbers in host byte order. */
struct key {
	uint64_t high, low;
};

static struct key to_key(const struct ws_address *address)
{
	uint64_t words[2];
	memcpy(words, address->bytes, sizeof(words));
	return (struct key){be64toh(words[0]), be64toh(words[1])};
}

static struct node *node_at(const struct prefix_tree *tree, uint32_t number)
{
	return (struct node *)(void *)(tree->nodes + (size_t)number * tree->stride);
}

static uint8_t *key_bytes(struct node *node)
{
	return (uint8_t *)(node + 1);
}

static struct key node_key(const struct prefix_tree *tree, const struct node *node)
{
	const uint8_t *bytes = (const uint8_t *)(node + 1);
	uint64_t words[2] = {0};
	/* Sizes that are constants for the compiler. */
	if (tree->family == WS_IP4)
		memcpy(words, bytes, IP4_KEY);
	else
		memcpy(words, bytes, IP6_KEY);
	return (struct key){be64toh(words[0]), be64toh(words[1])};
}

static bool bit_of(const struct key *key, uint8_t bit)
{
	return (bit < 64 ? key->high >> (63 - bit) : key->low >> (127 - bit)) & 1;
}

/* Number of equal leading bits. */
static uint8_t common_bits(const struct key *one, const struct key *other)
{
	uint64_t high = one->high ^ other->high, low = one->low ^ other->low;
	if (high)
		return (uint8_t)__builtin_clzll(high);
	return low ? (uint8_t)(64 + __builtin_clzll(low)) : 128;
}

/* True if the node's prefix covers a prefix with this key and length. */
static bool covers(const struct prefix_tree *tree, const struct node *node, const struct key *key,
				   uint8_t length)
{
	struct key own = node_key(tree, node);
	return node->length <= length && common_bits(&own, key) >= node->length;
}

bool prefix_tree_init(struct prefix_tree *tree, uint8_t family, uint32_t max_prefixes)
{
	*tree = (struct prefix_tree){
		.stride = sizeof(struct node) + key_size(family),
		.made = 1,
		.family = family,
	};
	tree->bytes = ((size_t)max_prefixes * 2 + 1) * tree->stride;
	tree->nodes = address_space_reserve(tree->bytes);
	return tree->nodes;
}

void prefix_tree_close(struct prefix_tree *tree)
{
	address_space_release(tree->nodes, tree->bytes);
	*tree = (struct prefix_tree){0};
}

/* ---- Nodes ---- */

static uint32_t take_node(struct prefix_tree *tree, const uint8_t *key, uint8_t length,
						  uint32_t value)
{
	uint32_t number = tree->first_free ? tree->first_free : tree->made++;
	struct node *node = node_at(tree, number);
	if (tree->first_free)
		tree->first_free = node->value;
	node->below[0] = node->below[1] = 0;
	node->value = value;
	node->length = length;
	memcpy(key_bytes(node), key, key_size(tree->family));
	return number;
}

static void free_node(struct prefix_tree *tree, uint32_t number)
{
	node_at(tree, number)->value = tree->first_free;
	tree->first_free = number;
}

/* ---- Search ---- */

uint32_t prefix_tree_get(const struct prefix_tree *tree, const struct ws_prefix *prefix)
{
	struct key key = to_key(&prefix->address);
	for (uint32_t at = tree->root; at;) {
		const struct node *node = node_at(tree, at);
		if (node->length >= prefix->length)
			return node->length == prefix->length && covers(tree, node, &key, prefix->length)
					   ? node->value
					   : 0;
		at = node->below[bit_of(&key, node->length)];
	}
	return 0;
}

struct prefix_value prefix_tree_match(const struct prefix_tree *tree,
									  const struct ws_address *address)
{
	struct key key = to_key(address);
	struct prefix_value best = {0};
	uint8_t bits = address_bits(tree->family);
	for (uint32_t at = tree->root; at;) {
		const struct node *node = node_at(tree, at);
		if (!covers(tree, node, &key, bits))
			break;
		if (node->value)
			best = (struct prefix_value){node->value, node->length};
		if (node->length == bits)
			break;
		at = node->below[bit_of(&key, node->length)];
	}
	return best;
}

/* ---- Changes ---- */

/* A new node at `link` with the existing one below it, or both below a third one where they differ.
 */
static void insert_node(struct prefix_tree *tree, uint32_t *link, const struct ws_prefix *prefix,
						uint32_t value)
{
	const uint8_t *bytes = prefix->address.bytes;
	struct key key = to_key(&prefix->address);
	uint32_t old = *link, added = take_node(tree, bytes, prefix->length, value);
	if (old) {
		struct key old_key = node_key(tree, node_at(tree, old));
		uint8_t common = common_bits(&key, &old_key);
		if (common >= prefix->length) {
			node_at(tree, added)->below[bit_of(&old_key, prefix->length)] = old;
		} else {
			struct ws_prefix fork = {prefix->address, common};
			fork = prefix_network(fork);
			uint32_t parting = take_node(tree, fork.address.bytes, common, 0);
			node_at(tree, parting)->below[bit_of(&key, common)] = added;
			node_at(tree, parting)->below[bit_of(&old_key, common)] = old;
			added = parting;
		}
	}
	*link = added;
}

uint32_t prefix_tree_set(struct prefix_tree *tree, const struct ws_prefix *prefix, uint32_t value)
{
	struct key key = to_key(&prefix->address);
	uint32_t *link = &tree->root;
	while (*link) {
		struct node *node = node_at(tree, *link);
		if (!covers(tree, node, &key, prefix->length))
			break;
		if (node->length == prefix->length) {
			uint32_t old = node->value;
			node->value = value;
			return old;
		}
		link = &node->below[bit_of(&key, node->length)];
	}
	insert_node(tree, link, prefix, value);
	return 0;
}

/* Replace a node without a value and with at most one child by that child. */
static bool give_way(struct prefix_tree *tree, uint32_t *link)
{
	uint32_t number = *link;
	const struct node *node = node_at(tree, number);
	if (node->value || (node->below[0] && node->below[1]))
		return false;
	*link = node->below[0] | node->below[1];
	free_node(tree, number);
	return true;
}

void prefix_tree_remove(struct prefix_tree *tree, const struct ws_prefix *prefix,
						struct prefix_value *above)
{
	struct key key = to_key(&prefix->address);
	uint32_t *link = &tree->root, *parent = NULL;
	struct node *node = node_at(tree, *link);
	*above = (struct prefix_value){0};
	while (node->length < prefix->length) {
		if (node->value)
			*above = (struct prefix_value){node->value, node->length};
		parent = link;
		link = &node->below[bit_of(&key, node->length)];
		node = node_at(tree, *link);
	}
	node->value = 0;
	if (give_way(tree, link) && parent)
		give_way(tree, parent);
}

/* ---- Walk ---- */

static void wait_for_turn(struct prefix_cursor *cursor, uint32_t number)
{
	if (number)
		cursor->waiting[cursor->depth++] = number;
}

/* Descend through the prefixes that cover `after`; nodes to the right of that path come after it.
 */
void prefix_tree_seek(const struct prefix_tree *tree, struct prefix_cursor *cursor,
					  const struct ws_prefix *after)
{
	struct key key = to_key(&after->address);
	uint32_t at = tree->root;
	*cursor = (struct prefix_cursor){.started = true};
	while (at) {
		const struct node *node = node_at(tree, at);
		if (node->length >= after->length || !covers(tree, node, &key, after->length))
			break;
		bool bit = bit_of(&key, node->length);
		if (!bit)
			wait_for_turn(cursor, node->below[1]);
		at = node->below[bit];
	}
	if (!at)
		return;
	const struct node *node = node_at(tree, at);
	struct key own = node_key(tree, node);
	uint8_t common = common_bits(&own, &key);
	if (node->length == after->length && common >= after->length) {
		wait_for_turn(cursor, node->below[1]);
		wait_for_turn(cursor, node->below[0]);
	} else if (common >= after->length || bit_of(&own, common)) {
		wait_for_turn(cursor, at);
	}
}

bool prefix_tree_next(const struct prefix_tree *tree, struct prefix_cursor *cursor,
					  struct ws_prefix *prefix, uint32_t *value)
{
	if (!cursor->started) {
		cursor->started = true;
		cursor->waiting[0] = tree->root;
		cursor->depth = tree->root ? 1 : 0;
	}
	while (cursor->depth) {
		struct node *node = node_at(tree, cursor->waiting[--cursor->depth]);
		for (int bit = 1; bit >= 0; bit--)
			if (node->below[bit])
				cursor->waiting[cursor->depth++] = node->below[bit];
		if (!node->value)
			continue;
		*prefix = (struct ws_prefix){.address.family = tree->family, .length = node->length};
		memcpy(prefix->address.bytes, key_bytes(node), key_size(tree->family));
		*value = node->value;
		return true;
	}
	return false;
}
