/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events from workers to the main thread: addresses seen in ARP and neighbour discovery, hosts that
 * ask for a router or for listeners, answers to pings.
 *
 * A bounded ring with many writers and one reader. A writer never waits: an event that finds the
 * ring full counts as lost. The descriptor becomes readable with the first event after the reader
 * began to read.
 */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_ring;
struct ws_router;

enum router_event_kind {
	EVENT_NEIGHBOR,
	EVENT_ROUTER_SOLICITED,
	EVENT_MLD_QUERIED,
	EVENT_ECHO_REPLY,
	EVENT_ADDRESS_TAKEN, /* an address that we are about to use */
	EVENT_KINDS
};

enum neighbor_flag {
	NEIGHBOR_MAY_CREATE = 1, /* else only refresh one that is known (RFC 826's merge) */
	NEIGHBOR_HAS_MAC = 2,
	NEIGHBOR_OVERRIDES = 4, /* a MAC address known before */
	NEIGHBOR_CONFIRMS = 8,  /* it hears us and answers */
};

struct router_event {
	struct ws_address address;
	uint8_t kind;      /* enum router_event_kind */
	uint8_t flags;     /* enum neighbor_flag */
	uint8_t ttl;       /* echo reply: this and the next three */
	uint32_t echo;     /* identifier and sequence */
	uint32_t delay_ms; /* that an answer may have */
	uint16_t length;
	uint16_t interface;
	uint64_t tsc;
	uint8_t mac[6];
};

struct event_ring {
	struct rte_ring *ring;
	int fd;
	uint32_t signalled; /* the descriptor has been written since the reader last began */
};

int event_ring_init(struct event_ring *events);
void event_ring_close(struct event_ring *events);
/* Any worker; false when the ring is full. */
bool event_ring_put(struct event_ring *events, const struct router_event *event);
/* Any worker: have the main thread begin a round of reading, for what is not in the ring. */
void event_ring_wake(struct event_ring *events);
/* Main thread: start a round of reading; then take until there is none. */
void event_ring_begin(struct event_ring *events);
bool event_ring_take(struct event_ring *events, struct router_event *event);

/* ---- Who hears of events: one function per kind, on the main thread ---- */

typedef void router_event_fn(struct ws_router *router, const struct router_event *event);
void router_event_register(enum router_event_kind kind, router_event_fn *handle);
/* Handles the events that wait, but not without end; returns how many. */
int router_handle_events(struct ws_router *router);

/* At the foot of a control file. */
#define ROUTER_EVENT(kind, function)                                                               \
	__attribute__((constructor)) static void event_register_##function(void)                       \
	{                                                                                              \
		router_event_register(kind, function);                                                     \
	}
