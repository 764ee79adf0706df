/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pseudorandom permutation of 0 … count - 1, computed and not stored.
 *
 * A Feistel network of four rounds over the lowest number of bits that holds `count` values. While
 * its result is `count` or more, it runs again on that result (cycle walking): fewer than two runs
 * on average. The halves differ by one bit if the number of bits is odd.
 */
#pragma once

#include "wire/splitmix.h"

#include <stdint.h>

enum { TUPLE_ORDER_ROUNDS = 4 };

struct tuple_order {
	uint64_t count, keys[TUPLE_ORDER_ROUNDS];
	uint8_t low_bits, high_bits;
};

/* `count` is 1 or more. */
static inline struct tuple_order tuple_order_make(uint64_t count, uint64_t seed)
{
	uint8_t bits = count < 4 ? 2 : (uint8_t)(64 - __builtin_clzll(count - 1));
	struct tuple_order order = {
		.count = count, .low_bits = bits / 2, .high_bits = (uint8_t)(bits - bits / 2)};
	for (int i = 0; i < TUPLE_ORDER_ROUNDS; i++)
		order.keys[i] = splitmix_draw(&seed);
	return order;
}

/* `bits` bits of a hash. */
static inline uint64_t tuple_order_mix(uint64_t half, uint64_t key, uint8_t bits)
{
	uint64_t hash = (half ^ key) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 32) * 0x94d049bb133111ebu;
	return hash >> (64 - bits);
}

static inline uint64_t tuple_order_step(const struct tuple_order *order, uint64_t value)
{
	uint64_t low = value & ((1ULL << order->low_bits) - 1), high = value >> order->low_bits;
	for (int i = 0; i < TUPLE_ORDER_ROUNDS; i += 2) {
		high ^= tuple_order_mix(low, order->keys[i], order->high_bits);
		low ^= tuple_order_mix(high, order->keys[i + 1], order->low_bits);
	}
	return high << order->low_bits | low;
}

static inline uint64_t tuple_order_at(const struct tuple_order *order, uint64_t position)
{
	do
		position = tuple_order_step(order, position);
	while (position >= order->count);
	return position;
}
