/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tuples of a flow set: all combinations of source and destination addresses and ports, in a
 * pseudorandom order. Flow f has the f-th tuple, so the flows of a smaller set are the first ones
 * of a larger set.
 */
#pragma once

#include "generator/flow_set/tuple_order.h"
#include "wirespeed/flow_sets.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

/* In network order, to be copied at once: addresses (one word for IPv4, four for IPv6), both ports.
 */
struct flow_tuple {
	uint64_t addresses[4];
	uint32_t ports;
};

/* The position of a flow in each range: its ports in network order, the numbers of its addresses.
 */
struct flow_digits {
	uint32_t ports;
	uint16_t source, destination;
};

struct flow_tuples {
	struct tuple_order order;
	uint64_t seed;
	bool ip6, tcp;
	uint8_t source[16], destination[16];
	uint32_t sources, destinations, source_ports, destination_ports;
	uint16_t source_port, destination_port;
};

/* Returns 0, or the code of an error with a message. */
int flow_tuples_make(const struct ws_flow_set *set, struct flow_tuples *out);
struct flow_digits flow_digits_of(const struct flow_tuples *tuples, uint32_t flow);

/* The tuple as the initiator sends it. */
static inline struct flow_tuple flow_tuple_of(const struct flow_tuples *tuples,
											  struct flow_digits digits, const bool ip6)
{
	struct flow_tuple tuple = {.ports = digits.ports};
	if (ip6) {
		memcpy(tuple.addresses, tuples->source, 16);
		memcpy(tuple.addresses + 2, tuples->destination, 16);
		tuple.addresses[1] = htobe64(be64toh(tuple.addresses[1]) + digits.source);
		tuple.addresses[3] = htobe64(be64toh(tuple.addresses[3]) + digits.destination);
	} else {
		uint32_t pair[2];
		memcpy(&pair[0], tuples->source, 4);
		memcpy(&pair[1], tuples->destination, 4);
		pair[0] = htobe32(be32toh(pair[0]) + digits.source);
		pair[1] = htobe32(be32toh(pair[1]) + digits.destination);
		memcpy(tuple.addresses, pair, sizeof(pair));
	}
	return tuple;
}

/* False if all flows have the addresses of the first one. */
static inline bool flow_tuples_have_many(const struct flow_tuples *tuples)
{
	return tuples->sources > 1 || tuples->destinations > 1;
}

/* The tuple of the other direction. */
static inline struct flow_tuple flow_tuple_back(const struct flow_tuple *tuple, bool ip6)
{
	const uint64_t *there = tuple->addresses;
	struct flow_tuple back = {.ports = tuple->ports << 16 | tuple->ports >> 16};
	if (ip6) {
		memcpy(back.addresses, there + 2, 2 * sizeof(*there));
		memcpy(back.addresses + 2, there, 2 * sizeof(*there));
	} else {
		back.addresses[0] = there[0] << 32 | there[0] >> 32;
	}
	return back;
}

static inline bool flow_tuple_equals(const struct flow_tuple *a, const struct flow_tuple *b,
									 bool ip6)
{
	uint64_t differ = (a->addresses[0] ^ b->addresses[0]) | (a->ports ^ b->ports);
	for (int i = 1; ip6 && i < 4; i++)
		differ |= a->addresses[i] ^ b->addresses[i];
	return !differ;
}

/* True if the initiator's address and port are equal. */
static inline bool flow_tuple_same_source(const struct flow_tuple *a, const struct flow_tuple *b,
										  bool ip6)
{
	size_t length = ip6 ? 16 : 4;
	return !memcmp(a->addresses, b->addresses, length) && !memcmp(&a->ports, &b->ports, 2);
}

static inline bool flow_tuple_same_destination(const struct flow_tuple *a,
											   const struct flow_tuple *b, bool ip6)
{
	size_t length = ip6 ? 16 : 4;
	return !memcmp((const uint8_t *)a->addresses + length, (const uint8_t *)b->addresses + length,
				   length) &&
		   !memcmp((const uint8_t *)&a->ports + 2, (const uint8_t *)&b->ports + 2, 2);
}
