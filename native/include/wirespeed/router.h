/* SPDX-License-Identifier: Apache-2.0 */
/* Creating, starting and polling of a router. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

struct ws_router_config {
	uint32_t max_ip4_routes; /* 0: 2 097 152 */
	uint32_t max_ip6_routes; /* 0: 1 048 576 */
	uint32_t max_neighbors;  /* both families, including next hops of routes; 0: 16 384 */
	/* Limit of learnt neighbours per interface; 0: half of max_neighbors. */
	uint32_t max_interface_neighbors;
	uint32_t
		max_path_sets;  /* sets of paths shared by routes, without those of neighbours; 0: 65 536 */
	bool polls_eagerly; /* polls without pauses under load too, at the cost of throughput
						   (router/worker/pace.h) */
	uint32_t icmp_rate_pps; /* ICMP errors per second and worker; 0: 1 000 */
	/* Statistics segment: its file, which must not exist, or empty; its maximum size, 0: unlimited;
	 * the interval at which the main thread updates it, 0: 1 000; whether it has calls, vectors and
	 * clocks of nodes. */
	char stats_path[WS_DEVARGS_LEN];
	uint32_t stats_max_kb;
	uint32_t stats_interval_ms;
	bool stats_without_nodes;
};

/* Number of packet buffers that the router's queues, of its workers and between them, can hold. */
uint32_t ws_router_held_buffers(uint16_t workers);
/* The ports become interfaces with their numbers and names. RX queues are distributed over the
 * workers round robin. */
struct ws_router *ws_router_create(const struct ws_router_config *config);
int ws_router_start(struct ws_router *router);
void ws_router_stop(struct ws_router *router);
void ws_router_destroy(struct ws_router *router);

/*
 * Workers pass events (ARP, neighbour discovery, replies to pings) to the main thread: the
 * descriptor becomes readable, and ws_router_poll applies them. Returns the number of events. Call
 * it once per second too: it probes silent neighbours and sends router advertisements.
 */
int ws_router_event_fd(struct ws_router *router);
int ws_router_poll(struct ws_router *router);
/* Call this when ws_links_fd is readable. Closes ports whose device was removed: their interfaces
 * stay down until they are deleted. Stores their numbers in `gone` (room for WS_MAX_PORTS); returns
 * how many there are. */
int ws_router_follow_links(struct ws_router *router, uint16_t *gone);
