/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of packets for Linux and for the main thread: policers per reason, for each interface and
 * for all in total. A policer has one token bucket per worker, so that workers share nothing. Nodes
 * ask before they hand a packet over, and drop and count packets beyond the limit. Nodes of the
 * forwarding path do not ask.
 */
#pragma once

#include "router/module.h"
#include "router/worker/token_bucket.h"
#include "wire/own_count.h"
#include "wirespeed/punt.h"

/* Bucket of one worker, in a cache line of its own. */
struct punt_bucket {
	struct token_bucket tokens;
	uint64_t passed, dropped;
} __attribute__((aligned(64)));

struct punt_policer {
	uint32_t rate_pps, burst;
	struct punt_bucket of[]; /* by worker */
};

struct punt_policers {
	struct punt_policer *at[WS_PUNT_REASONS]; /* NULL: unlimited */
};

struct punt {
	struct punt_policers all;
	struct punt_policers
		*of[WS_MAX_INTERFACES]; /* NULL before the first policer of the interface */
};

extern struct router_module punt_module;

/* NULL before the first policer. */
static inline struct punt *punt_of(const struct ws_router *router)
{
	return module_state(router, &punt_module);
}

/* Name of the counter of such drops. */
#define PUNT_POLICED "over the rate of a punt policer"

static inline bool punt_take(struct punt_policers *policers, enum ws_punt_reason reason,
							 uint16_t worker, uint64_t now)
{
	struct punt_policer *policer = __atomic_load_n(&policers->at[reason], __ATOMIC_ACQUIRE);
	if (!policer)
		return true;
	struct punt_bucket *bucket = &policer->of[worker];
	bool is_there = token_bucket_take(&bucket->tokens, now);
	own_count_add(is_there ? &bucket->passed : &bucket->dropped, 1);
	return is_there;
}

/* False: nothing is policed, so reasons need not be determined. */
static inline bool punt_is_policed(const struct ws_router *router)
{
	return punt_of(router);
}

/* The interface's policer is asked first, so that its excess does not reduce the limit of others.
 */
static inline bool punt_passes(struct graph *graph, uint16_t interface, enum ws_punt_reason reason)
{
	struct punt *punt = punt_of(router_of(graph));
	if (likely(!punt))
		return true;
	struct punt_policers *own = __atomic_load_n(&punt->of[interface], __ATOMIC_ACQUIRE);
	uint64_t now = graph_tsc();
	return (!own || punt_take(own, reason, graph->worker, now)) &&
		   punt_take(&punt->all, reason, graph->worker, now);
}

/* Reason of an IP packet, of which `length` bytes can be read, or of a whole frame. */
enum ws_punt_reason punt_reason_of_ip4(const uint8_t *bytes, size_t length);
enum ws_punt_reason punt_reason_of_ip6(const uint8_t *bytes, size_t length);
enum ws_punt_reason punt_reason_of_frame(const uint8_t *bytes, size_t length);
