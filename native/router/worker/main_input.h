/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets made by the main thread: pings, neighbour probes, router advertisements.
 *
 * They go through a ring to the node main-input of worker 0, and from there on like any others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Limit of packets of a kind per poll, so that all kinds find free slots. */
enum { MAIN_INPUT_SLOTS = 1024, MAIN_INPUT_A_POLL = 64 };

struct rte_mbuf;
struct ws_router;

/* The edges of main-input. */
enum main_edge { MAIN_IP4_LOOKUP, MAIN_IP6_LOOKUP, MAIN_OUTPUT };

/*
 * A packet of `length` bytes whose data begins at the IP or ARP header, counted for `interface`.
 * NULL when the pool is empty.
 */
struct rte_mbuf *main_packet(uint16_t interface, uint16_t length);
/* Route the packet by its destination. False, and the packet is freed, if the ring is full. */
bool main_route(struct ws_router *router, struct rte_mbuf *packet, enum main_edge edge);
/* Send the packet through its interface to the station `mac`; `type` is an enum ethernet_type. */
bool main_send(struct ws_router *router, struct rte_mbuf *packet, const uint8_t *mac,
			   uint16_t type);
