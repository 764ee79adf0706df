/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What workers tell the main thread: addresses seen in ARP.
 *
 * A bounded ring, many writers, one reader. A writer never waits: it counts an event that finds no
 * room as lost. The descriptor becomes readable with the first event after the reader began to
 * read.
 */
#ifndef ROUTER_EVENT_H
#define ROUTER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct rte_ring;

struct arp_event {
	uint32_t address;
	uint16_t interface;
	uint8_t mac[6];
	uint32_t may_create; /* 0: only refresh a neighbour that is known (RFC 826's merge) */
};

struct event_ring {
	struct rte_ring *ring;
	int fd;
	uint32_t signalled; /* the descriptor has been written since the reader last began */
};

int event_ring_init(struct event_ring *events);
void event_ring_close(struct event_ring *events);
/* Any worker; false when the ring is full. */
bool event_ring_put(struct event_ring *events, const struct arp_event *event);
/* Main thread: start a round of reading; then take until there is none. */
void event_ring_begin(struct event_ring *events);
bool event_ring_take(struct event_ring *events, struct arp_event *event);

#endif
