/* SPDX-License-Identifier: Apache-2.0 */
/* Token bucket: one token per packet, refilled by the TSC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct token_bucket {
	uint64_t ticks_per_token, capacity_ticks;
	uint64_t full_at; /* TSC at which it will be full */
};

/* True if a token was available. */
static inline bool token_bucket_take(struct token_bucket *bucket, uint64_t now)
{
	if (bucket->full_at < now)
		bucket->full_at = now;
	if (bucket->full_at + bucket->ticks_per_token > now + bucket->capacity_ticks)
		return false;
	bucket->full_at += bucket->ticks_per_token;
	return true;
}
