/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events from workers to the main thread: addresses in ARP and neighbour discovery, router
 * solicitations, listener queries, replies to pings. A bounded ring with many writers and one
 * reader. A writer never waits: if the ring is full, the event counts as lost. The descriptor
 * becomes readable with the first event after the reader began to read.
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
	EVENT_ADDRESS_TAKEN, /* another station has an address under duplicate address detection */
	EVENT_KINDS
};

enum neighbor_flag {
	NEIGHBOR_MAY_CREATE = 1, /* otherwise only refresh a known neighbour (RFC 826's merge) */
	NEIGHBOR_HAS_MAC = 2,
	NEIGHBOR_OVERRIDES = 4, /* overrides a known MAC address */
	NEIGHBOR_CONFIRMS = 8,  /* it replied, so it also receives */
};

struct router_event {
	struct ws_address address;
	uint8_t kind;      /* enum router_event_kind */
	uint8_t flags;     /* enum neighbor_flag */
	uint8_t ttl;       /* echo reply: this and the next three */
	uint32_t echo;     /* echo identifier and sequence */
	uint32_t delay_ms; /* maximum delay of a reply */
	uint16_t length;
	uint16_t interface;
	uint64_t tsc;
	uint8_t mac[6];
};

struct event_ring {
	struct rte_ring *ring;
	int fd;
	uint32_t signalled; /* the descriptor was written since the reader last began */
};

int event_ring_init(struct event_ring *events);
void event_ring_close(struct event_ring *events);
/* From any worker; false if the ring is full. */
bool event_ring_put(struct event_ring *events, const struct router_event *event);
/* From any worker: have the main thread begin a round of reading, for data outside of the ring. */
void event_ring_wake(struct event_ring *events);
/* Main thread: start a round of reading; then take events until there is none. */
void event_ring_begin(struct event_ring *events);
bool event_ring_take(struct event_ring *events, struct router_event *event);

/* ---- Handlers of events: one function per kind, on the main thread ---- */

typedef void router_event_fn(struct ws_router *router, const struct router_event *event);
void router_event_register(enum router_event_kind kind, router_event_fn *handle);
/* Handle waiting events, but only a limited number per call; returns how many. */
int router_handle_events(struct ws_router *router);

/* Placed at the foot of a control file. */
#define ROUTER_EVENT(kind, function)                                                               \
	__attribute__((constructor)) static void event_register_##function(void)                       \
	{                                                                                              \
		router_event_register(kind, function);                                                     \
	}
