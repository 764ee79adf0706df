/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/load_balance_draft.h"

#include "dev/error.h"
#include "router/fib/adjacency.h"
#include "router/fib/path_list.h"
#include "wire/mpls.h"

#include <errno.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

uint32_t load_balance_share(const uint32_t *weights, uint32_t count, uint32_t *shares)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < count; i++)
		total += weights[i];
	if (total <= LOAD_BALANCE_MAX_BUCKETS) {
		memcpy(shares, weights, count * sizeof(*shares));
		return (uint32_t)total;
	}
	uint32_t used = 0;
	for (uint32_t i = 0; i < count; i++) {
		/* One bucket each, and a proportion of the others, rounded down; the first paths get the
		 * rest. */
		shares[i] =
			1 + (uint32_t)((LOAD_BALANCE_MAX_BUCKETS - count) * (uint64_t)weights[i] / total);
		used += shares[i];
	}
	for (uint32_t i = 0; i < count && used < LOAD_BALANCE_MAX_BUCKETS; i++, used++)
		shares[i]++;
	return LOAD_BALANCE_MAX_BUCKETS;
}

/* ---- From a path to its adjacency ---- */

/* Kind of the packets sent to the next hop of a path without labels. */
static enum adjacency_link payload_link(uint16_t payload)
{
	static const enum adjacency_link links[] = {
		[PAYLOAD_IP4] = LINK_IP4,      [PAYLOAD_IP6] = LINK_IP6,      [PAYLOAD_MPLS] = LINK_MPLS,
		[PAYLOAD_MPLS_IP4] = LINK_IP4, [PAYLOAD_MPLS_IP6] = LINK_IP6,
	};
	return links[payload];
}

static int64_t forwarding_adjacency(struct adjacency_table *table, uint16_t payload,
									const struct path_key *leaf)
{
	switch (leaf->kind) {
	case WS_PATH_NEXT_HOP:
		return adjacency_take(table, (uint16_t)leaf->interface, &leaf->next_hop,
							  leaf->label_count ? LINK_MPLS : payload_link(payload));
	case WS_PATH_ATTACHED:
		return ADJACENCY_FIRST_GLEAN + leaf->interface;
	case WS_PATH_LOOKUP:
		return adjacency_lookup(table, leaf->table);
	case WS_PATH_LOCAL:
		/* Below a label, local delivery looks up the address as for unlabelled packets. */
		return payload < PAYLOAD_MPLS ? ADJACENCY_LOCAL
									  : adjacency_lookup(table, ADJACENCY_RX_TABLE);
	case WS_PATH_UNREACHABLE:
		return ADJACENCY_UNREACHABLE;
	case WS_PATH_PROHIBIT:
		return ADJACENCY_PROHIBIT;
	default:
		return ADJACENCY_DROP;
	}
}

/* The last pushed label replaces a received one, if any. It then inherits that label's TTL, also
 * through a recursive path; otherwise a loop would not end. */
static int64_t push_labels(struct adjacency_table *table, uint16_t payload,
						   const struct path_key *leaf, uint32_t next)
{
	struct path_key path = *leaf;
	if (payload >= PAYLOAD_MPLS)
		path.labels[path.label_count - 1] &= ~0u << MPLS_LABEL_SHIFT;
	return adjacency_push(table, path.labels, path.label_count, next);
}

static int64_t leaf_adjacency(struct adjacency_table *table, uint16_t payload,
							  const struct path_key *leaf)
{
	static const enum adjacency_kind pops[] = {
		[PAYLOAD_MPLS] = ADJACENCY_POP_MPLS,
		[PAYLOAD_MPLS_IP4] = ADJACENCY_POP_IP4,
		[PAYLOAD_MPLS_IP6] = ADJACENCY_POP_IP6,
	};
	int64_t adjacency = forwarding_adjacency(table, payload, leaf);
	if (adjacency < 0 || adjacency <= ADJACENCY_PROHIBIT)
		return adjacency;
	if (leaf->label_count)
		return push_labels(table, payload, leaf, (uint32_t)adjacency);
	return payload < PAYLOAD_MPLS ? adjacency
								  : adjacency_pop(table, pops[payload], (uint32_t)adjacency);
}

void load_balance_release_adjacencies(struct load_balance_table *table, const uint32_t *adjacencies,
									  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		adjacency_release(table->adjacencies, adjacencies[i]);
}

static int make_buckets(struct load_balance_draft *draft)
{
	uint32_t weights[LOAD_BALANCE_MAX_LEAVES] = {0}, shares[LOAD_BALANCE_MAX_LEAVES];
	uint32_t count = draft->leaf_count;
	if (count == 1) {
		draft->balance = (struct load_balance){
			.adjacency = draft->adjacencies[0],
			.via = draft->leaves[0].via,
		};
		return 0;
	}
	for (uint32_t i = 0; i < count; i++)
		weights[i] = draft->leaves[i].weight;
	uint32_t total = load_balance_share(weights, count, shares);
	struct buckets *buckets =
		rte_malloc("buckets", sizeof(*buckets) + 2 * total * sizeof(buckets->adjacencies[0]),
				   RTE_CACHE_LINE_SIZE);
	if (!buckets)
		return fail(-ENOMEM, "no memory for %u paths", count);
	uint32_t *next = buckets->adjacencies;
	buckets->count = total;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t n = 0; n < shares[i]; n++, next++) {
			*next = draft->adjacencies[i];
			next[total] = draft->leaves[i].via;
		}
	draft->balance = (struct load_balance){
		.adjacency = ADJACENCY_LOAD_BALANCE,
		.buckets = buckets,
	};
	return 0;
}

void load_balance_free_draft(struct load_balance_draft *draft)
{
	free(draft->leaves);
	free(draft->adjacencies);
}

int load_balance_make_draft(struct load_balance_table *table, uint16_t payload,
							const struct path_key *leaves, uint32_t count,
							struct load_balance_draft *draft)
{
	*draft = (struct load_balance_draft){.leaf_count = count};
	draft->leaves = malloc(count * sizeof(*leaves));
	draft->adjacencies = calloc(count, sizeof(*draft->adjacencies));
	if (!draft->leaves || !draft->adjacencies) {
		load_balance_free_draft(draft);
		return fail(-ENOMEM, "no memory for another set of paths");
	}
	int error = 0;
	uint32_t made = 0;
	for (; made < count; made++) {
		draft->leaves[made] = leaves[made];
		int64_t adjacency = leaf_adjacency(table->adjacencies, payload, &leaves[made]);
		if (adjacency < 0) {
			error = (int)adjacency;
			break;
		}
		draft->adjacencies[made] = (uint32_t)adjacency;
	}
	if (!error)
		error = make_buckets(draft);
	if (error) {
		load_balance_release_adjacencies(table, draft->adjacencies, made);
		load_balance_free_draft(draft);
	}
	return error;
}
