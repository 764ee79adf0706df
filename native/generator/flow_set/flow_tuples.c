/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_tuples.h"

#include "dev/error.h"

#include <endian.h>
#include <errno.h>

/* Doubles hold these numbers exactly. */
#define MOST_TUPLES (1ULL << 52)

static int check_ports(const char *what, uint32_t first, uint32_t count)
{
	if (count && first + count <= 65536)
		return 0;
	return fail(-EINVAL, "%u %s ports from %u on; 1 or more up to port 65535 are possible", count,
				what, first);
}

/* The last address shall be of the same size as the first: no carry out of the lowest half. */
static int check_addresses(const char *what, const uint8_t *first, uint32_t count, bool ip6)
{
	uint64_t low6;
	uint32_t low4;
	memcpy(&low6, first + 8, sizeof(low6));
	memcpy(&low4, first, sizeof(low4));
	uint64_t low = ip6 ? be64toh(low6) : be32toh(low4), most = ip6 ? UINT64_MAX : UINT32_MAX;
	if (count && count - 1 <= most - low)
		return 0;
	return fail(-EINVAL, "%u %s addresses; 1 or more are possible, up to the last one", count,
				what);
}

int flow_tuples_make(const struct ws_flow_set *set, struct flow_tuples *out)
{
	int error = check_ports("source", set->source_port, set->source_ports);
	if (!error)
		error = check_ports("destination", set->destination_port, set->destination_ports);
	if (!error)
		error = check_addresses("source", set->source, set->sources, set->ip6);
	if (!error)
		error = check_addresses("destination", set->destination, set->destinations, set->ip6);
	if (error)
		return error;
	double tuples =
		(double)set->sources * set->destinations * set->source_ports * set->destination_ports;
	if (tuples > (double)MOST_TUPLES)
		return fail(-EINVAL, "%g tuples; up to 2^52 are possible: make a range smaller", tuples);
	if (!set->flows || (double)set->flows > tuples)
		return fail(-EINVAL, "%u flows of %.0f tuples; 1 up to as many are possible", set->flows,
					tuples);
	*out = (struct flow_tuples){
		.order = tuple_order_make((uint64_t)tuples, set->seed),
		.seed = set->seed,
		.ip6 = set->ip6,
		.sources = set->sources,
		.destinations = set->destinations,
		.source_ports = set->source_ports,
		.destination_ports = set->destination_ports,
		.source_port = set->source_port,
		.destination_port = set->destination_port,
		.per_source_port = 1.0 / set->source_ports,
		.per_destination_port = 1.0 / set->destination_ports,
		.per_source = 1.0 / set->sources,
	};
	memcpy(out->source, set->source, sizeof(out->source));
	memcpy(out->destination, set->destination, sizeof(out->destination));
	return 0;
}

/* *number becomes what is left of it; without the division that takes as long as all the rest. */
static inline uint32_t take_digit(uint64_t *number, uint32_t base, double per_base)
{
	uint64_t whole = (uint64_t)(int64_t)((double)(int64_t)*number * per_base);
	int64_t digit = (int64_t)(*number - whole * base);
	int64_t above = digit >= (int64_t)base, below = digit < 0;
	*number = whole + (uint64_t)above - (uint64_t)below;
	return (uint32_t)(digit + (below - above) * (int64_t)base);
}

static inline uint32_t address4(const uint8_t *first, uint32_t number)
{
	uint32_t address;
	memcpy(&address, first, sizeof(address));
	return htobe32(be32toh(address) + number);
}

static inline void address6(const uint8_t *first, uint32_t number, uint64_t *out)
{
	memcpy(out, first, 2 * sizeof(*out));
	out[1] = htobe64(be64toh(out[1]) + number);
}

void flow_tuples_of(const struct flow_tuples *tuples, const uint32_t *flows, uint16_t n,
					struct flow_tuple *out)
{
	for (uint16_t i = 0; i < n; i++) {
		uint64_t number = tuple_order_at(&tuples->order, flows[i]);
		uint32_t port = take_digit(&number, tuples->source_ports, tuples->per_source_port);
		uint32_t to = take_digit(&number, tuples->destination_ports, tuples->per_destination_port);
		uint32_t source = 0;
		if (tuples->sources > 1)
			source = take_digit(&number, tuples->sources, tuples->per_source);
		uint16_t ports[] = {htobe16((uint16_t)(tuples->source_port + port)),
							htobe16((uint16_t)(tuples->destination_port + to))};
		memcpy(&out[i].ports, ports, sizeof(ports));
		if (tuples->ip6) {
			address6(tuples->source, source, out[i].addresses);
			address6(tuples->destination, (uint32_t)number, out[i].addresses + 2);
		} else {
			uint32_t pair[] = {address4(tuples->source, source),
							   address4(tuples->destination, (uint32_t)number)};
			memcpy(out[i].addresses, pair, sizeof(pair));
		}
	}
}
