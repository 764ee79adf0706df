/* SPDX-License-Identifier: Apache-2.0 */
/* A flow set and its shares, as the main thread makes them and hangs them on two ports. */
#pragma once

#include "generator/flow_set/flow_share.h"
#include "generator/port_extension.h"

enum { INITIATOR, RESPONDER, ROLES };

/* A share of one port. The first member is what the port has of it. */
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
	uint32_t users;                        /* its ports' shares, and streams */
	uint32_t entries_since, replies_since; /* `begun` when they were of no generation */
	uint32_t phase;
};

extern const struct port_extension flow_set_extension;

/* Drops one reference; the last one frees it. */
void flow_set_leave(struct flow_set *set);
/* True if one of the set's streams sends from this source. */
bool flow_set_sends(const struct flow_set *set, const struct packet_source *source);
