/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a worker may ask for a neighbour.
 *
 * Each is asked for once a second at most: a next hop of a route by its adjacency, an unknown host
 * of a connected subnet by a slot here. Whoever sends to many hosts has them asked for at
 * a bounded rate, in a bucket chosen by the sender, so that a scan holds up nobody else; which
 * senders share a bucket changes every few seconds. What hashes to what is seeded, and a host is
 * told from another one by its whole hash, so a scan cannot sit on a host's slot either: at worst
 * a host is asked for a little more often.
 */
#pragma once

#include "router/worker/token_bucket.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	GLEAN_SLOTS = 1024,
	/* For one sender 64 questions a second, after 256 at once. */
	GLEAN_BUCKETS = 64,
	GLEAN_BUCKET_PPS = 64,
	GLEAN_BURST = 256,
	GLEAN_EPOCH_S = 4, /* senders that share a bucket do so this long */
};

struct glean_throttle {
	uint64_t seed, tsc_hz;
	struct {
		uint64_t host, asked_tsc; /* 0: never */
	} asked[GLEAN_SLOTS];
	struct token_bucket buckets[GLEAN_BUCKETS];
};

static inline uint64_t glean_mix(uint64_t value)
{
	value = (value ^ value >> 32) * 0xd6e8feb86659fd93u;
	value = (value ^ value >> 32) * 0xd6e8feb86659fd93u;
	return value ^ value >> 32;
}

/* Hash of a host or a sender, whose address is given as two numbers. */
static inline uint64_t glean_hash(const struct glean_throttle *throttle, uint16_t interface,
								  uint64_t high, uint64_t low)
{
	uint64_t hash = glean_mix(throttle->seed ^ interface);
	return glean_mix(glean_mix(hash ^ high) ^ low);
}

static inline void glean_throttle_init(struct glean_throttle *throttle, uint64_t seed,
									   uint64_t tsc_hz)
{
	throttle->seed = seed;
	throttle->tsc_hz = tsc_hz;
	for (int i = 0; i < GLEAN_BUCKETS; i++)
		throttle->buckets[i] = (struct token_bucket){
			.ticks_per_token = tsc_hz / GLEAN_BUCKET_PPS,
			.capacity_ticks = tsc_hz / GLEAN_BUCKET_PPS * GLEAN_BURST,
		};
}

/* The host was asked for less than so many seconds ago. Also for the main thread, about a worker's
 * own: then it may miss the newest. */
static inline bool glean_was_asked(const struct glean_throttle *throttle, uint64_t host,
								   uint64_t now, uint32_t seconds)
{
	uint64_t asked =
		__atomic_load_n(&throttle->asked[host % GLEAN_SLOTS].asked_tsc, __ATOMIC_RELAXED);
	return asked &&
		   __atomic_load_n(&throttle->asked[host % GLEAN_SLOTS].host, __ATOMIC_RELAXED) == host &&
		   (asked > now || now - asked < seconds * throttle->tsc_hz);
}

/* Subject of a packet's request. */
struct glean_question {
	uint64_t *asked_tsc;   /* when a route's next hop was last asked for, else NULL */
	uint64_t host, sender; /* attached next hop: hashes of both */
};

/* True if the sender may ask for the host now; then the host counts as asked. */
static inline bool glean_take(struct glean_throttle *throttle, uint64_t host, uint64_t sender,
							  uint64_t now)
{
	uint64_t epoch = now / (throttle->tsc_hz * GLEAN_EPOCH_S);
	if (!token_bucket_take(&throttle->buckets[glean_mix(sender ^ epoch) % GLEAN_BUCKETS], now))
		return false;
	__atomic_store_n(&throttle->asked[host % GLEAN_SLOTS].host, host, __ATOMIC_RELAXED);
	__atomic_store_n(&throttle->asked[host % GLEAN_SLOTS].asked_tsc, now, __ATOMIC_RELAXED);
	return true;
}

static inline bool glean_must_wait(const struct glean_throttle *throttle,
								   const struct glean_question *question, uint64_t now)
{
	if (!question->asked_tsc)
		return glean_was_asked(throttle, question->host, now, 1);
	uint64_t before = __atomic_load_n(question->asked_tsc, __ATOMIC_RELAXED);
	return before && now - before < throttle->tsc_hz;
}

/* Workers may race for a next hop: two ask then. */
static inline bool glean_may_ask(struct glean_throttle *throttle,
								 const struct glean_question *question, uint64_t now)
{
	if (!question->asked_tsc)
		return glean_take(throttle, question->host, question->sender, now);
	__atomic_store_n(question->asked_tsc, now, __ATOMIC_RELAXED);
	return true;
}
