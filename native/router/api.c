/* SPDX-License-Identifier: Apache-2.0 */
/* Making a router of the open ports, and its events. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "dev/worker.h"
#include "router/router.h"
#include "router/trace.h"

#include <errno.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_ROUTES = 262144,
	DEFAULT_NEIGHBORS = 4096,
	DEFAULT_ICMP_PPS = 1000,
	/* Sets of paths besides one for each neighbour's own route. */
	LOAD_BALANCES = 4096,
	/* In one poll, however fast the workers fill the ring. */
	MAX_EVENTS = 1024,
};

static int make_interface(struct ws_router *router, uint16_t index)
{
	struct interface *interface = &router->interfaces[index];
	struct ws_port_info info;
	int error = ws_port_info(index, &info);
	if (error)
		return error;
	interface->l3_mac = INTERFACE_NO_MAC;
	interface->mtu = router->mtus[index] = info.mtu;
	memcpy(interface->mac, info.mac, sizeof(interface->mac));
	interface->addresses = calloc(1, sizeof(*interface->addresses));
	return interface->addresses ? 0 : fail(-ENOMEM, "no memory for interface %s", info.name);
}

/* Each interface begins with the next worker, so that many ports of one queue spread as well. */
static void spread_queues(struct ws_router *router)
{
	uint16_t next = 0;
	for (uint16_t port = 0; port < router->interface_count; port++)
		for (uint16_t queue = 0; queue < port_rx_queues(port); queue++)
			router->placement[port][queue] = (uint8_t)(next++ % router->worker_count);
}

static int make(struct ws_router *router)
{
	const struct ws_router_config *config = &router->config;
	int error = 0;
	if (!router->interface_count)
		return fail(-EINVAL, "a router needs ports; open them first");
	router->own = calloc(1, sizeof(*router->own));
	if (!router->own)
		return fail(-ENOMEM, "no memory for a router");
	for (uint16_t i = 0; i < router->interface_count && !error; i++)
		error = make_interface(router, i);
	if (!error)
		error = rcu_init();
	if (!error)
		error = event_ring_init(&router->events);
	if (!error)
		error = fib4_init(&router->fib4, config->max_ip4_routes);
	if (!error)
		error = adjacency_table_init(&router->adjacencies, config->max_neighbors);
	if (!error)
		error = load_balance_table_init(&router->load_balances, &router->adjacencies,
										config->max_neighbors + LOAD_BALANCES);
	if (!error)
		error = trace_init();
	if (!error)
		error = router_make_workers(router);
	return error;
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
		router->config.max_ip4_routes = DEFAULT_ROUTES;
	if (!router->config.max_neighbors)
		router->config.max_neighbors = DEFAULT_NEIGHBORS;
	if (!router->config.icmp_rate_pps)
		router->config.icmp_rate_pps = DEFAULT_ICMP_PPS;
	router->interface_count = ports_count();
	router->worker_count = workers_count();
	router->tsc_hz = ws_tsc_hz();
	router->events.fd = -1;
	if (make(router)) {
		ws_router_destroy(router);
		return NULL;
	}
	spread_queues(router);
	return router;
}

void ws_router_destroy(struct ws_router *router)
{
	if (!router)
		return;
	ws_router_stop(router);
	router_free_workers(router);
	load_balance_table_close(&router->load_balances);
	adjacency_table_close(&router->adjacencies);
	fib4_close(&router->fib4);
	event_ring_close(&router->events);
	for (uint16_t i = 0; i < router->interface_count; i++)
		free(router->interfaces[i].addresses);
	free(router->own);
	rte_free(router);
	rcu_close();
}

int ws_router_event_fd(struct ws_router *router)
{
	return router->events.fd;
}

int ws_router_poll(struct ws_router *router)
{
	struct arp_event event;
	int count = 0;
	event_ring_begin(&router->events);
	for (; count < MAX_EVENTS && event_ring_take(&router->events, &event); count++)
		router_neighbor_learn(router, &event);
	router_neighbor_age(router);
	return count;
}
