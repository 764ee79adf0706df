/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The router: data that its nodes read and the main thread writes. Everything that a worker reads
 * and the main thread changes is either one naturally aligned word, or reached through a pointer
 * that is swapped; the old target is freed after rcu_synchronize().
 */
#pragma once

#include "graph/graph.h"
#include "router/event.h"
#include "router/fib/adjacency.h"
#include "router/fib/fib.h"
#include "router/fib/load_balance.h"
#include "router/interface/address_index.h"
#include "router/interface/interface.h"
#include "router/observe/stats_segment.h"
#include "router/packet/takes.h"
#include "router/worker/features.h"
#include "router/worker/handoff.h"
#include "router/worker/worker.h"

#include <rte_branch_prediction.h>

struct interface_settings;
struct ip6_interface;
struct local_addresses;
struct ws_router_config;

/* MAX_TABLES is the number of indices; a table takes memory as routes are added. */
enum { FAMILIES = 2, MAX_TABLES = UINT16_MAX };

enum { MODULES_MAX = 64 };

/* Bits of additional work in forwarding; the lowest ones are those of enum ws_counting. */
enum router_extra {
	EXTRA_FLOW_FIELDS = 4, /* some table uses other flow hash fields than the default */
	EXTRA_TABLES_IP4 = 8,  /* there are tables besides the default one */
	EXTRA_TABLES_IP6 = 16,
};

struct ws_router {
	struct interface interfaces[WS_MAX_INTERFACES];
	struct local_addresses *own;
	struct ip6_interface *ip6[WS_MAX_INTERFACES]; /* NULL if IPv6 is not enabled */
	/* By family (family_index) and index; the default one has index 0. */
	struct fib_table *tables[FAMILIES][MAX_TABLES];
	uint8_t extras; /* router_has */
	struct load_balance_table load_balances;
	struct adjacency_table adjacencies;
	struct event_ring events __attribute__((aligned(64))); /* written by workers */
	/* Packets made by the main thread, for worker 0. */
	struct rte_ring *main_input __attribute__((aligned(64)));
	uint64_t glean_seed;
	uint64_t flow_hash_factor; /* odd; derived from the seed */
	uint64_t tsc_hz;
	uint16_t interface_count; /* highest number plus 1; there may be gaps */
	uint16_t worker_count;
	bool running;
	bool paused;     /* router_is_paused */
	uint16_t parked; /* workers that wait in the pause */
	const struct ws_router_config *config;
	struct router_worker *workers[WS_MAX_WORKERS];

	void *state[MODULES_MAX]; /* states of modules, by index: module_state */
	struct handoff handoffs[WS_MAX_PORTS];
	struct rte_ring *handoff_rings[WS_MAX_WORKERS]; /* NULL until an interface hands off */
	/* Number of MAC addresses that neighbours got; read by workers that hold packets. */
	uint32_t neighbors_settled;

	/* Main thread only. */
	void *interface_names;        /* tree: interface_names.c */
	uint32_t table_end[FAMILIES]; /* highest index of a table plus 1 */
	void *tables_by_id[FAMILIES]; /* trees: table.c */
	uint16_t lowest_free;         /* all lower numbers from WS_MAX_PORTS on are in use */
	struct address_index address_index;
	uint32_t flow_hash_seed;
	struct stats_segment stats;
	struct interface_settings *settings; /* by interface */
	uint16_t pause_depth;
	struct features features;
	uint8_t placement[WS_MAX_PORTS][WS_MAX_QUEUES];
	uint8_t rx_modes[WS_MAX_PORTS][WS_MAX_QUEUES]; /* enum ws_rx_mode */
};

static inline int family_index(uint8_t family)
{
	return family == WS_IP6;
}

/* True if forwarding does this additional work; what it needs is ready. */
static inline bool router_has(const struct ws_router *router, uint8_t extras)
{
	return __builtin_expect(__atomic_load_n(&router->extras, __ATOMIC_ACQUIRE) & extras, 0);
}

static inline void router_set_extra(struct ws_router *router, uint8_t extra, bool on)
{
	__atomic_store_n(&router->extras, on ? router->extras | extra : router->extras & ~extra,
					 __ATOMIC_RELEASE);
}

static inline uint8_t extra_tables(uint8_t family)
{
	return family == WS_IP6 ? EXTRA_TABLES_IP6 : EXTRA_TABLES_IP4;
}

static inline struct ws_router *router_of(const struct graph *graph)
{
	return graph->app;
}

static inline struct router_worker *router_worker_of(const struct graph *graph)
{
	return router_of(graph)->workers[graph->worker];
}

/* -ENODEV with an error text if the interface does not exist. */
int router_check_interface(const struct ws_router *router, uint16_t index);

/* True if Linux replies for the interface; nodes then do not. */
static inline bool interface_is_paired(const struct interface *interface)
{
	return __atomic_load_n(&interface->lcp, __ATOMIC_RELAXED) != LCP_NONE;
}

/* True on a worker during a pause; changes made in the last pause are visible. */
static inline bool router_is_paused(const struct ws_router *router)
{
	return __atomic_load_n(&router->paused, __ATOMIC_ACQUIRE);
}

/* The interface's table of that family. */
static inline struct fib_table *router_interface_table(const struct ws_router *router,
													   uint16_t interface, uint8_t family)
{
	int index = family_index(family);
	return router->tables[index][router->interfaces[interface].table[index]];
}
