/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of flows: words are mixed in one after the other. The upper half of the result is the
 * better mixed one. */
#pragma once

#include <stdint.h>

static inline uint64_t flow_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static inline uint32_t flow_fold(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}
