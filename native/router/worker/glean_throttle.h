/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits on a worker's requests for neighbours. Each neighbour is requested at most once per
 * second: a next hop of a route by its adjacency, an unknown host of a connected subnet by a slot
 * here. Requests caused by one sender of packets to many hosts are limited by a bucket, chosen by
 * the sender, so that a scan does not delay others; the senders that share a bucket change every
 * few seconds. Hashes are seeded and hosts are compared by their whole hash, so a scan cannot block
 * a host's slot either: at worst a host is requested slightly more often.
 */
#pragma once

#include "router/worker/token_bucket.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	GLEAN_SLOTS = 1024,
	/* For one sender 64 requests per second, with bursts of 256. */
	GLEAN_BUCKETS = 64,
	GLEAN_BUCKET_PPS = 64,
	GLEAN_BURST = 256,
	GLEAN_EPOCH_S = 4, /* time for which the same senders share a bucket */
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

/* True if a request for the host was sent less than so many seconds ago. The main thread may call
 * it for a worker's throttle: it may then miss the latest request. */
static inline bool glean_was_asked(const struct glean_throttle *throttle, uint64_t host,
								   uint64_t now, uint32_t seconds)
{
	uint64_t asked =
		__atomic_load_n(&throttle->asked[host % GLEAN_SLOTS].asked_tsc, __ATOMIC_RELAXED);
	return asked &&
		   __atomic_load_n(&throttle->asked[host % GLEAN_SLOTS].host, __ATOMIC_RELAXED) == host &&
		   (asked > now || now - asked < seconds * throttle->tsc_hz);
}

/* Subject of a request that a packet causes. */
struct glean_question {
	uint64_t *asked_tsc; /* time of the last request for a route's next hop; NULL: not a next hop of
							a route */
	uint64_t host, sender; /* attached next hop: hashes of host and sender */
};

/* True if a request for the host may be sent for this sender now; it is then recorded as sent. */
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

/* Two workers that race for a next hop both send a request. */
static inline bool glean_may_ask(struct glean_throttle *throttle,
								 const struct glean_question *question, uint64_t now)
{
	if (!question->asked_tsc)
		return glean_take(throttle, question->host, question->sender, now);
	__atomic_store_n(question->asked_tsc, now, __ATOMIC_RELAXED);
	return true;
}
