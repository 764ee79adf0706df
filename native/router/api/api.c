/* SPDX-License-Identifier: Apache-2.0 */
/* Making a router of the open ports, and its events. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "dev/seed.h"
#include "dev/worker.h"
#include "router/interface/ip6_interface.h"
#include "router/local/local.h"
#include "router/module.h"
#include "router/neighbor/neighbor.h"
#include "router/route/dad.h"
#include "router/route/route.h"
#include "router/router.h"
#include "router/worker/main_input.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* Twice the Internet's tables of 2026, a million and a quarter of one, and more. A table has
	 * address space for so many, and memory as they come. */
	DEFAULT_IP4_ROUTES = 2097152,
	DEFAULT_IP6_ROUTES = 1048576,
	DEFAULT_NEIGHBORS = 16384,
	DEFAULT_ICMP_PPS = 1000,
	DEFAULT_REACHABLE_S = 30, /* RFC 4861 section 10 */
	/* Sets of paths besides one for each neighbour's own route. */
	DEFAULT_PATH_SETS = 65536,
	/* In one poll, however fast the workers fill the ring. */
	MAX_EVENTS = 1024,
};

/* Each interface begins with the next worker, so that many ports of one queue spread as well. */
static void spread_queues(struct ws_router *router)
{
	uint16_t next = 0;
	for (uint16_t port = 0; port < ports_count(); port++)
		for (uint16_t queue = 0; queue < port_rx_queues(port); queue++) {
			router->placement[port][queue] = (uint8_t)(next++ % router->worker_count);
			router->rx_modes[port][queue] = router_default_rx_mode(port);
		}
}

static int make_router(struct ws_router *router)
{
	const struct ws_router_config *config = &router->config;
	int error;
	if (!ws_pool_count())
		return fail(-EINVAL, "a router needs packet buffers; open its ports first, if only none");
	error = modules_make(router);
	for (uint16_t i = 0; i < ports_count() && !error; i++)
		error = router_make_port_interface(router, i);
	if (!error)
		error = rcu_init();
	if (!error)
		error = router_update_own(router);
	if (!error)
		error = event_ring_init(&router->events);
	if (!error)
		error = router_make_table(router, WS_IP4, 0, 0, NULL, config->max_ip4_routes);
	if (!error)
		error = router_make_table(router, WS_IP6, 0, 0, NULL, config->max_ip6_routes);
	if (!error)
		error = main_input_init(router);
	if (!error)
		error = sources_init(&router->sources);
	if (!error)
		error = adjacency_table_init(&router->adjacencies, config->max_neighbors,
									 config->max_path_sets);
	if (!error)
		error = load_balance_table_init(&router->load_balances, &router->adjacencies,
										config->max_neighbors + config->max_path_sets);
	router->load_balances.resolve = router_resolve;
	router->load_balances.resolve_context = router;
	for (uint16_t i = 0; i < router->interface_count && !error; i++)
		router_update_adjacencies(router, i);
	if (!error)
		error = stats_open(router);
	if (!error)
		error = router_make_workers(router);
	return error;
}

uint32_t ws_router_held_buffers(uint16_t workers)
{
	uint32_t handed = workers > 1 ? HANDOFF_SLOTS : 0; /* one worker hands off to nobody */
	return MAIN_INPUT_SLOTS + workers * (RECIRCULATE_SLOTS + HOLD_SLOTS + handed);
}

struct ws_router *ws_router_create(const struct ws_router_config *config)
{
	struct ws_router *router = rte_zmalloc("router", sizeof(*router), RTE_CACHE_LINE_SIZE);
	if (!router) {
		fail(-ENOMEM, "no memory for a router");
		return NULL;
	}
	router->config = *config;
	if (!router->config.max_ip4_routes)
		router->config.max_ip4_routes = DEFAULT_IP4_ROUTES;
	if (!router->config.max_ip6_routes)
		router->config.max_ip6_routes = DEFAULT_IP6_ROUTES;
	if (!router->config.max_neighbors)
		router->config.max_neighbors = DEFAULT_NEIGHBORS;
	if (!router->config.max_interface_neighbors)
		router->config.max_interface_neighbors = (router->config.max_neighbors + 1) / 2;
	if (!router->config.max_path_sets)
		router->config.max_path_sets = DEFAULT_PATH_SETS;
	if (!router->config.icmp_rate_pps)
		router->config.icmp_rate_pps = DEFAULT_ICMP_PPS;
	router->worker_count = workers_count();
	router->tsc_hz = ws_tsc_hz();
	neighbor_room_init(router);
	router->events.fd = -1;
	router->glean_seed = seed_random();
	ws_router_set_flow_hash_seed(router, (uint32_t)seed_random());
	router->echo_id = (uint32_t)getpid() & 0xffff;
	router->reachable_s[0] = router->reachable_s[1] = DEFAULT_REACHABLE_S;
	if (make_router(router)) {
		ws_router_destroy(router);
		return NULL;
	}
	stats_update(router);
	spread_queues(router);
	return router;
}

void ws_router_destroy(struct ws_router *router)
{
	if (!router)
		return;
	ws_router_stop(router);
	modules_close(router);
	handoff_close(router);
	router_free_workers(router);
	modules_free(router);
	stats_close(router);
	load_balance_table_close(&router->load_balances);
	adjacency_table_close(&router->adjacencies);
	sources_close(&router->sources);
	router_free_tables(router);
	event_ring_close(&router->events);
	router_free_interfaces(router);
	router_free_own(router);
	for (int i = 0; i < WS_MAX_INTERFACES; i++)
		free(router->ip6[i]);
	main_input_close(router);
	rte_free(router);
	rcu_close();
}

int ws_router_event_fd(struct ws_router *router)
{
	return router->events.fd;
}

static void apply_event(struct ws_router *router, const struct router_event *event)
{
	switch (event->kind) {
	case EVENT_NEIGHBOR:
		router_neighbor_learn(router, event);
		break;
	case EVENT_MLD_QUERIED:
		router_mld_queried(router, event);
		break;
	case EVENT_ROUTER_SOLICITED:
		router_solicited(router, event);
		break;
	case EVENT_ADDRESS_TAKEN:
		router_dad_taken(router, event);
		break;
	default:
		router_echo_replied(router, event);
	}
}

int ws_router_poll(struct ws_router *router)
{
	struct router_event event;
	int count = 0;
	event_ring_begin(&router->events);
	for (; count < MAX_EVENTS && event_ring_take(&router->events, &event); count++)
		apply_event(router, &event);
	router_neighbor_age(router);
	router_follow_links(router);
	modules_poll(router);
	stats_update(router);
	return count;
}
