/* SPDX-License-Identifier: Apache-2.0 */
/* Flow hashes over selected fields (enum ws_flow_field). */
#pragma once

#include "router/path/forward.h"
#include "wire/flow_mix.h"
#include "wirespeed/routes.h"

/* The fields of a packet; `source` and `destination` stand for addresses. An absent field is 0. */
struct flow_fields {
	uint64_t source, destination;
	uint16_t source_port, destination_port;
	uint32_t label;
	uint8_t protocol;
};

/* The fields selected for the table of the packet's receiving interface. */
static inline uint32_t packet_flow_fields(const struct ws_router *router, uint8_t family,
										  const struct rte_mbuf *packet)
{
	const struct fib_table *table =
		__atomic_load_n(&router->tables[family_index(family)][packet_table(router, family, packet)],
						__ATOMIC_ACQUIRE);
	return table ? __atomic_load_n(&table->flow_hash, __ATOMIC_RELAXED) : 0;
}

static inline uint64_t flow_fields_hash(const struct flow_fields *flow, uint32_t chosen)
{
	uint64_t source = chosen & WS_FLOW_SRC ? flow->source : 0;
	uint64_t destination = chosen & WS_FLOW_DST ? flow->destination : 0;
	uint32_t source_port = chosen & WS_FLOW_SPORT ? flow->source_port : 0;
	uint32_t destination_port = chosen & WS_FLOW_DPORT ? flow->destination_port : 0;
	uint32_t protocol = chosen & WS_FLOW_PROTO ? flow->protocol : 0;
	uint32_t label = chosen & WS_FLOW_LABEL ? flow->label : 0;
	bool is_later = source > destination;
	bool swaps = chosen & WS_FLOW_SYMMETRIC ? is_later : (chosen & WS_FLOW_REVERSE) != 0;
	bool swaps_ports = chosen & WS_FLOW_SYMMETRIC ? source_port > destination_port : swaps;
	uint64_t hash =
		flow_mix(flow_mix(0, swaps ? destination : source), swaps ? source : destination);
	uint32_t ports =
		swaps_ports ? destination_port << 16 | source_port : source_port << 16 | destination_port;
	return flow_mix(flow_mix(hash, (uint64_t)label << 8 | protocol), ports);
}
