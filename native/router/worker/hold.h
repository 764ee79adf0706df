/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets held until the MAC address of their next hop is known. A worker holds a few packets per
 * next hop, for a limited number of next hops, each in a place chosen by its hash; if that is taken
 * by another next hop, the packet is not held. Copies are held, since a packet's own buffer may be
 * one that its driver needs.
 *
 * The worker checks the held packets between two walks. Once the MAC address is known, they are
 * sent in order. Until then the request is repeated every second; if there is no reply in time, the
 * senders get "host unreachable".
 *
 * While packets are held, a neighbour gets its MAC address in a pause of the workers, and each
 * worker sends its held packets before its next walk (run.c). Otherwise, within a walk, some
 * packets could find the next hop unresolved and be held, and later ones would overtake them.
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
	uint64_t key;        /* hash of the next hop, which identifies it */
	uint32_t adjacency;  /* an incomplete one, or a glean */
	uint32_t generation; /* generation of the adjacency when the packets came */
	uint16_t interface;  /* interface of the next hop */
	struct ws_address next_hop;
};

struct held_hop {
	struct held_for to;
	uint64_t since_tsc, asked_tsc;
	uint8_t count;  /* number of packets; 0: the place is free */
	bool is_asking; /* the last packet is being used for a request, and a copy will be held again */
	struct rte_mbuf *packets[HOLD_PACKETS];
};

struct hold {
	uint32_t count;            /* total number of packets; read by the main thread */
	uint32_t settled;          /* value of neighbors_settled at the last check */
	uint32_t sent, unanswered; /* packets since the node recirculate last counted them */
	uint64_t looked_tsc;
	struct held_hop hops[HOLD_HOPS];
};

enum held { HELD_NOT, HELD_FROM_NOW_ON, HELD_AGAIN };
/* On the worker: hold a copy of the packet, whose data begins at its IP header, if there is room.
 */
enum held hold_packet(struct router_worker *worker, const struct rte_mbuf *packet,
					  const struct held_for *to, uint64_t now);
/* On the worker, between two walks: queue packets whose wait has ended for recirculation. */
void hold_look(struct ws_router *router, struct router_worker *worker, uint64_t now);
/* While no worker walks: drop packets that the interface received or that wait to leave through it.
 */
void hold_forget(struct router_worker *worker, uint16_t interface);
/* Drop all held packets. */
void hold_close(struct router_worker *worker);
/* On the main thread: true if a worker holds packets. */
bool hold_is_used(const struct ws_router *router);
