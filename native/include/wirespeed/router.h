/* SPDX-License-Identifier: Apache-2.0 */
/* A router: made, started, served by the main thread. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

struct ws_router_config {
	uint32_t max_ip4_routes; /* 0: 2 097 152 */
	uint32_t max_ip6_routes; /* 0: 1 048 576 */
	uint32_t max_neighbors;  /* both families, next hops of routes included; 0: 16 384 */
	/* Limit of learnt neighbours per interface; 0: half of max_neighbors. */
	uint32_t max_interface_neighbors;
	uint32_t max_path_sets; /* sets of paths that routes share, besides neighbours'; 0: 65 536 */
	bool polls_eagerly;     /* also under load, at the cost of throughput (router/worker/pace.h) */
	uint32_t icmp_rate_pps; /* ICMP errors a second and worker; 0: 1 000 */
	/* The statistics segment: its file, which must not exist yet, or empty; its largest size, 0: no
	 * limit; the interval at which the main thread writes its words, 0: 1 000; whether its
	 * directory has calls, vectors and clocks of the nodes. */
	char stats_path[WS_DEVARGS_LEN];
	uint32_t stats_max_kb;
	uint32_t stats_interval_ms;
	bool stats_without_nodes;
};

/* Packet buffers that a router's queues between and beside its workers may hold. */
uint32_t ws_router_held_buffers(uint16_t workers);
/* The ports become interfaces of their numbers and names. RX queues are spread over the workers
 * round robin. */
struct ws_router *ws_router_create(const struct ws_router_config *config);
int ws_router_start(struct ws_router *router);
void ws_router_stop(struct ws_router *router);
void ws_router_destroy(struct ws_router *router);

/*
 * Workers hand what they learn (ARP, neighbour discovery, answers to pings) to the main thread: the
 * descriptor becomes readable, and ws_router_poll applies it. Returns the number of events. Call it
 * once a second as well: it asks for silent neighbours and sends router advertisements.
 */
int ws_router_event_fd(struct ws_router *router);
int ws_router_poll(struct ws_router *router);
/* When ws_links_fd is readable. Lets go of ports whose device was taken out: their interfaces stay,
 * down for good, until they are deleted. Writes these (room for WS_MAX_PORTS); how many they are.
 */
int ws_router_follow_links(struct ws_router *router, uint16_t *gone);
