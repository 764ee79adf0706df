/* SPDX-License-Identifier: Apache-2.0 */
/* SplitMix64, as published (Steele, Lea, Flood 2014): it takes each state exactly once. */
#pragma once

#include <stdint.h>

/* The next number of the sequence with the given state. */
static inline uint64_t splitmix_draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
