/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_tuples.h"

#include "dev/error.h"

#include <endian.h>
#include <errno.h>

enum { MOST_ADDRESSES = 65536 };

static int check_ports(const char *what, uint32_t first, uint32_t count)
{
	if (count && first + count <= 65536)
		return 0;
	return fail(-EINVAL, "%u %s ports from %u on; give 1 or more, the last one at most 65535",
				count, what, first);
}

/* The last address shall be of the same size as the first: no carry out of the lowest half. */
static int check_addresses(const char *what, const uint8_t *first, uint32_t count, bool ip6)
{
	uint64_t low6;
	uint32_t low4;
	memcpy(&low6, first + 8, sizeof(low6));
	memcpy(&low4, first, sizeof(low4));
	uint64_t low = ip6 ? be64toh(low6) : be32toh(low4), most = ip6 ? UINT64_MAX : UINT32_MAX;
	if (count && count <= MOST_ADDRESSES && count - 1 <= most - low)
		return 0;
	return fail(-EINVAL, "%u %s addresses; 1 to %d are possible, up to the last one", count, what,
				MOST_ADDRESSES);
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
	uint64_t tuples =
		(uint64_t)set->sources * set->destinations * set->source_ports * set->destination_ports;
	if (!set->flows || set->flows > tuples)
		return fail(-EINVAL, "%u flows of %lu tuples; give 1 or more, and at most one per tuple",
					set->flows, (unsigned long)tuples);
	*out = (struct flow_tuples){
		.order = tuple_order_make(tuples, set->seed),
		.seed = set->seed,
		.ip6 = set->ip6,
		.tcp = set->tcp,
		.sources = set->sources,
		.destinations = set->destinations,
		.source_ports = set->source_ports,
		.destination_ports = set->destination_ports,
		.source_port = set->source_port,
		.destination_port = set->destination_port,
	};
	memcpy(out->source, set->source, sizeof(out->source));
	memcpy(out->destination, set->destination, sizeof(out->destination));
	return 0;
}

struct flow_digits flow_digits_of(const struct flow_tuples *tuples, uint32_t flow)
{
	uint64_t number = tuple_order_at(&tuples->order, flow);
	uint32_t port = (uint32_t)(number % tuples->source_ports);
	number /= tuples->source_ports;
	uint32_t to = (uint32_t)(number % tuples->destination_ports);
	number /= tuples->destination_ports;
	uint16_t ports[] = {htobe16((uint16_t)(tuples->source_port + port)),
						htobe16((uint16_t)(tuples->destination_port + to))};
	struct flow_digits digits = {.source = (uint16_t)(number % tuples->sources),
								 .destination = (uint16_t)(number / tuples->sources)};
	memcpy(&digits.ports, ports, sizeof(ports));
	return digits;
}
