/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib4.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "wire/ip4.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_fib.h>
#include <rte_rib.h>

/* Prefixes longer than this one share a table of 256 addresses, a tbl8 group. */
enum { DIRECT_LENGTH = 24, GROUP_SIZE = 256, MIN_GROUPS = 1024, ROUTES_PER_GROUP = 8 };

/*
 * How DPDK 22.11's private struct dir24_8_tbl begins. It reserves a group for each /24 that has
 * longer prefixes, but not when the first of them has the value of the route above it; the
 * reservation is given back all the same when the last one goes. At -1 no longer prefix is taken
 * any more.
 */
struct group_account {
	uint32_t groups, reserved;
};

int fib4_init(struct fib4 *fib, uint32_t max_routes)
{
	uint32_t wanted = RTE_MAX((uint32_t)MIN_GROUPS, max_routes / ROUTES_PER_GROUP);
	uint32_t groups = RTE_ALIGN_CEIL(wanted, 64u); /* as rte_fib does */
	struct rte_fib_conf conf = {
		.type = RTE_FIB_DIR24_8,
		.default_nh = 0,
		.max_routes = (int)max_routes,
		.dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = groups},
	};
	*fib = (struct fib4){.max = max_routes};
	fib->fib = rte_fib_create("ip4", SOCKET_ID_ANY, &conf);
	if (!fib->fib)
		return fail(-ENOMEM,
					"no memory for a table of %u IPv4 routes, which takes about %u MB; "
					"give more memory or allow fewer routes",
					max_routes, 64 + groups / 1024 + max_routes / 2731);
	fib->rib = rte_fib_get_rib(fib->fib);
	const struct group_account *account = rte_fib_get_dp(fib->fib);
	if (account->groups != groups || account->reserved) {
		fib4_close(fib);
		return fail(-ENOTSUP, "this DPDK keeps IPv4 routes in another way than 22.11 does");
	}
	return 0;
}

void fib4_close(struct fib4 *fib)
{
	rte_fib_free(fib->fib);
}

/* Whether changing the prefix can take or free a tbl8 group. */
static bool needs_group(const struct fib4 *fib, struct ip4_prefix prefix)
{
	return prefix.length > DIRECT_LENGTH ||
		   rte_rib_get_nxt(fib->rib, prefix.address, prefix.length, NULL, RTE_RIB_GET_NXT_COVER);
}

/* rte_fib frees the group of a /24 once all of its addresses have the same value. */
static bool group_is_uniform(const struct fib4 *fib, uint32_t address)
{
	uint32_t addresses[GROUP_SIZE];
	uint64_t values[GROUP_SIZE];
	for (uint32_t i = 0; i < GROUP_SIZE; i++)
		addresses[i] = (address & ip4_mask(DIRECT_LENGTH)) | i;
	rte_fib_lookup_bulk(fib->fib, addresses, values, GROUP_SIZE);
	for (uint32_t i = 1; i < GROUP_SIZE; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

/*
 * rte_fib of DPDK 22.11 takes a freed group again at once, while a worker may be about to read it
 * for another /24. So nothing that may take one happens before the workers let go of the last
 * freed.
 */
static bool before_change(struct fib4 *fib, struct ip4_prefix prefix)
{
	bool grouped = needs_group(fib, prefix);
	if (grouped && fib->group_freed) {
		rcu_synchronize();
		fib->group_freed = false;
	}
	fib->generation++;
	return grouped;
}

static void after_change(struct fib4 *fib, struct ip4_prefix prefix, bool grouped)
{
	if (grouped)
		fib->group_freed |= prefix.length <= DIRECT_LENGTH || group_is_uniform(fib, prefix.address);
}

/* Whether rte_fib_add will forget to reserve a group for this new prefix. */
static bool reserves_silently(const struct fib4 *fib, struct ip4_prefix prefix, uint32_t value)
{
	struct ip4_prefix above;
	uint32_t above_value, group = prefix.address & ip4_mask(DIRECT_LENGTH);
	return prefix.length > DIRECT_LENGTH &&
		   !rte_rib_get_nxt(fib->rib, group, DIRECT_LENGTH, NULL, RTE_RIB_GET_NXT_COVER) &&
		   fib4_match(fib, prefix.address, &above, &above_value) && above_value == value;
}

int fib4_set(struct fib4 *fib, struct ip4_prefix prefix, uint32_t value)
{
	uint32_t old;
	bool replaces = fib4_get(fib, prefix, &old);
	if (!replaces && fib->count >= fib->max)
		return fail(-ENOSPC, "the IPv4 table is full at %u routes; allow more of them", fib->max);
	bool silent = !replaces && reserves_silently(fib, prefix, value);
	bool grouped = before_change(fib, prefix);
	int error = rte_fib_add(fib->fib, prefix.address, prefix.length, value);
	if (error)
		return fail(error, "no room for another prefix longer than /%d among %u routes: %s",
					DIRECT_LENGTH, fib->count, rte_strerror(-error));
	after_change(fib, prefix, grouped);
	((struct group_account *)rte_fib_get_dp(fib->fib))->reserved += silent;
	fib->count += !replaces;
	return 0;
}

void fib4_remove(struct fib4 *fib, struct ip4_prefix prefix)
{
	bool grouped = before_change(fib, prefix);
	rte_fib_delete(fib->fib, prefix.address, prefix.length);
	after_change(fib, prefix, grouped);
	fib->count--;
}

static void read_node(const struct rte_rib_node *node, struct ip4_prefix *prefix, uint32_t *value)
{
	uint64_t wide;
	rte_rib_get_ip(node, &prefix->address);
	rte_rib_get_depth(node, &prefix->length);
	rte_rib_get_nh(node, &wide);
	*value = (uint32_t)wide;
}

bool fib4_get(const struct fib4 *fib, struct ip4_prefix prefix, uint32_t *value)
{
	struct rte_rib_node *node = rte_rib_lookup_exact(fib->rib, prefix.address, prefix.length);
	if (node)
		read_node(node, &prefix, value);
	return node;
}

bool fib4_match(const struct fib4 *fib, uint32_t address, struct ip4_prefix *prefix,
				uint32_t *value)
{
	struct rte_rib_node *node = rte_rib_lookup(fib->rib, address);
	if (node)
		read_node(node, prefix, value);
	return node;
}

bool fib4_next(const struct fib4 *fib, struct fib4_cursor *cursor, struct ip4_prefix *prefix,
			   uint32_t *value)
{
	if (!cursor->started) {
		cursor->started = true;
		cursor->depth = 1; /* below 0.0.0.0/0, which the RIB's walk leaves out */
		*prefix = (struct ip4_prefix){0};
		if (fib4_get(fib, *prefix, value))
			return true;
	}
	while (cursor->depth) {
		uint8_t top = cursor->depth - 1;
		struct ip4_prefix *parent = &cursor->stack[top].prefix;
		struct rte_rib_node *node = rte_rib_get_nxt(fib->rib, parent->address, parent->length,
													cursor->stack[top].last, RTE_RIB_GET_NXT_COVER);
		cursor->stack[top].last = node;
		if (!node) {
			cursor->depth--;
			continue;
		}
		read_node(node, prefix, value);
		cursor->stack[cursor->depth].prefix = *prefix;
		cursor->stack[cursor->depth].last = NULL;
		cursor->depth++;
		return true;
	}
	return false;
}
