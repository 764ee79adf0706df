/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The router: what its nodes read, what the main thread writes.
 *
 * Everything that a worker reads and the main thread changes is either one naturally aligned word
 * or reached through a pointer that is swapped, the old target freed after rcu_synchronize().
 */
#ifndef ROUTER_ROUTER_H
#define ROUTER_ROUTER_H

#include "graph/graph.h"
#include "router/adjacency.h"
#include "router/event.h"
#include "router/fib4.h"
#include "router/load_balance.h"
#include "wirespeed.h"

#include <rte_branch_prediction.h>

/* Never the destination of a frame: what `l3_mac` of an interface that takes no L3 holds. */
#define INTERFACE_NO_MAC UINT64_MAX

struct address_list {
	uint16_t count;
	struct ws_ip4_prefix at[WS_MAX_ADDRESSES];
};

struct interface {
	uint64_t l3_mac; /* its MAC as a number while it is up and in L3 mode, else INTERFACE_NO_MAC */
	bool admin_up;
	uint8_t mode; /* enum ws_interface_mode */
	uint16_t xconnect_to;
	uint16_t mtu;
	uint8_t mac[6];
	struct address_list *addresses; /* never NULL */
} __attribute__((aligned(64)));

/*
 * Addresses that no packet from outside may bear as its source: ours, and the network and broadcast
 * addresses of our subnets. A bitmap by hash says no for nearly all others.
 */
struct own_addresses {
	uint64_t bits[64];
	uint32_t count;
	uint32_t at[WS_MAX_PORTS * WS_MAX_ADDRESSES * 3];
};

static inline uint32_t own_address_bit(uint32_t address)
{
	return (address * 0x9e3779b1u) >> 20;
}

/* One token a packet, refilled by the TSC. */
struct token_bucket {
	uint64_t ticks_per_token, capacity_ticks;
	uint64_t full_at; /* TSC at which it would be full */
};

struct rx_queue {
	uint16_t port, queue;
};

enum { ARP_THROTTLE_SLOTS = 256 };

struct trace;

/* Written by one worker, apart from the queues and the trace, which change only while it is stopped
 * or does not look. */
struct router_worker {
	struct graph *graph;
	struct trace *trace;
	uint64_t rx_packets, tx_packets, drops, punts, loops;
	struct token_bucket icmp;
	uint16_t queue_count;
	struct rx_queue queues[WS_MAX_PORTS * WS_MAX_QUEUES];
	struct {
		uint64_t ip4, drops, punts, tx_failed;
	} interfaces[WS_MAX_PORTS];
	uint64_t glean_asked_tsc[ARP_THROTTLE_SLOTS]; /* by hash of the address asked for */
} __attribute__((aligned(64)));

struct ws_router {
	struct interface interfaces[WS_MAX_PORTS];
	struct own_addresses *own;
	struct fib4 fib4;
	struct load_balance_table load_balances;
	struct adjacency_table adjacencies;
	struct event_ring events;
	uint64_t tsc_hz;
	uint16_t interface_count, worker_count;
	bool running;
	struct ws_router_config config;
	struct router_worker *workers[WS_MAX_WORKERS];

	/* Main thread only. */
	uint16_t mtus[WS_MAX_PORTS];
	uint8_t placement[WS_MAX_PORTS][WS_MAX_QUEUES];
	struct fib4_cursor cursor; /* where the last page of ws_router_routes ended */
	uint64_t cursor_position, cursor_generation;
};

static inline struct ws_router *router_of(const struct graph *graph)
{
	return graph->app;
}

static inline struct router_worker *router_worker_of(const struct graph *graph)
{
	return router_of(graph)->workers[graph->worker];
}

/* -ENODEV with its line when there is no such interface. */
int router_check_interface(const struct ws_router *router, uint16_t index);
/* Make the graphs of all workers; and let them go. */
int router_make_workers(struct ws_router *router);
void router_free_workers(struct ws_router *router);

/* Write over what is there; the path has its interface. */
int router_set_route(struct ws_router *router, struct ws_ip4_prefix prefix,
					 const struct ws_path *path, bool is_static);
/* Remove what is there; a neighbour's own route comes back. */
void router_remove_route(struct ws_router *router, struct ws_ip4_prefix prefix);
/* What stands at the prefix. */
enum route_owner { ROUTE_NONE, ROUTE_STATIC, ROUTE_NEIGHBOR, ROUTE_CONNECTED };
enum route_owner router_route_owner(const struct ws_router *router, struct ws_ip4_prefix prefix);

/* The interface with a connected prefix over the address, or -1. */
int router_connected_interface(const struct ws_router *router, uint32_t address);
bool router_is_own_address(const struct ws_router *router, uint32_t address);
static inline bool address_is_unicast(uint32_t address)
{
	return address >> 24 != 0 && address >> 24 != 127 && address >> 24 < 224;
}

/*
 * A neighbour on a connected prefix has a /32 route of its own, unless something else stands there.
 * Make that true again for one address, or for all of an interface.
 */
void router_neighbor_restore_route(struct ws_router *router, uint32_t address);
void router_neighbor_restore_routes(struct ws_router *router, uint16_t interface);
/* Apply what a worker saw; forget those unheard of for long. */
void router_neighbor_learn(struct ws_router *router, const struct arp_event *event);
void router_neighbor_age(struct ws_router *router);

/* True when a token was there. */
static inline bool token_bucket_take(struct token_bucket *bucket, uint64_t now)
{
	if (bucket->full_at < now)
		bucket->full_at = now;
	if (bucket->full_at + bucket->ticks_per_token > now + bucket->capacity_ticks)
		return false;
	bucket->full_at += bucket->ticks_per_token;
	return true;
}

#endif
