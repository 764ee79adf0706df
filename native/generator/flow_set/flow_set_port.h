/* SPDX-License-Identifier: Apache-2.0 */
/* A flow set and its shares. The main thread makes them and attaches them to two ports. */
#pragma once

#include "generator/flow_set/flow_share.h"
#include "generator/port_extension.h"

enum { INITIATOR, RESPONDER, ROLES };

/* The share of one worker of a port. The port points to the first member. */
struct set_port {
	struct port_extension extension;
	struct flow_set *set;
	struct flow_share share;
	struct ws_flow sent, answered;
	uint64_t first_tsc, last_tsc;
};

struct flow_set {
	struct flow_tuples tuples;
	struct flow_table *table;
	uint16_t ports[ROLES], count[ROLES]; /* of shares */
	struct set_port *shares[ROLES];
	uint32_t users; /* references by shares and by streams */
	uint32_t entries_since,
		replies_since; /* values of `begun` when the entries and the replies were last cleared */
	uint32_t phase;
};

extern const struct port_extension flow_set_extension;

/* Drop one reference; the last drop frees the set. */
void flow_set_leave(struct flow_set *set);
/* True if `source` belongs to a stream of the set. */
bool flow_set_sends(const struct flow_set *set, const struct packet_source *source);
