/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that wait for their next hop's MAC address.
 *
 * A few for each next hop, and so many next hops a worker, each in the place that its hash gives;
 * where another one is, nothing is held. Kept are copies, since a packet's own buffer may be one
 * that its driver needs back. The worker looks after them between two walks: what has a MAC address
 * by now is sent in the order that it came in, the next hop is asked for again each second, and
 * when it has not answered in time the senders are told that it is unreachable.
 *
 * While packets are held, a neighbour gets its MAC address in a pause of the workers, and each
 * worker sends its held packets before its next walk (run.c). Within a walk, some packets would
 * find the next hop unresolved and be held, and later ones would overtake them.
 */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct router_worker;
struct rte_mbuf;
struct ws_router;

enum { HOLD_HOPS = WS_MOST_HELD, HOLD_PACKETS = 4, HOLD_SLOTS = HOLD_HOPS * HOLD_PACKETS };

/* Key of held packets: the next hop that they wait for. */
struct held_for {
	uint64_t key;        /* its hash, by which it is told from another one */
	uint32_t adjacency;  /* an incomplete one, or a glean */
	uint32_t generation; /* its generation when the packets came */
	uint16_t interface;  /* that it is behind */
	struct ws_address next_hop;
};

struct held_hop {
	struct held_for to;
	uint64_t since_tsc, asked_tsc;
	uint8_t count;  /* number of packets; 0: the place is free */
	bool is_asking; /* the last one is on its way to ask again, and comes back */
	struct rte_mbuf *packets[HOLD_PACKETS];
};

struct hold {
	uint32_t count;            /* packets in all; the main thread reads it */
	uint32_t settled;          /* settled neighbours at the last look */
	uint32_t sent, unanswered; /* packets since the node recirculate last counted them */
	uint64_t looked_tsc;
	struct held_hop hops[HOLD_HOPS];
};

enum held { HELD_NOT, HELD_FROM_NOW_ON, HELD_AGAIN };
/* On the worker: a copy of the packet, whose data begins at its IP header, waits, if there is room.
 */
enum held hold_packet(struct router_worker *worker, const struct rte_mbuf *packet,
					  const struct held_for *to, uint64_t now);
/* On the worker, between two walks: what is to go on is made ready to be recirculated. */
void hold_look(struct ws_router *router, struct router_worker *worker, uint64_t now);
/* While no worker walks: drop what came in by the interface or waits to leave by it. */
void hold_forget(struct router_worker *worker, uint16_t interface);
/* Drop all. */
void hold_close(struct router_worker *worker);
/* On the main thread: whether any worker holds packets. */
bool hold_is_used(const struct ws_router *router);
