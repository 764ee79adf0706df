/* SPDX-License-Identifier: Apache-2.0 */
/* Creating a router from the open ports, polling it, and freeing it. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "dev/seed.h"
#include "dev/worker.h"
#include "router/interface/interface_settings.h"
#include "router/module.h"
#include "router/worker/main_input.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <rte_malloc.h>

/* Defaults for members of the configuration that are 0. */
enum {
	/* Twice the Internet's tables of 2026, a million and a quarter of one, and a reserve. A table
	 * reserves address space for them; memory is used as routes are added. */
	DEFAULT_IP4_ROUTES = 2097152,
	DEFAULT_IP6_ROUTES = 1048576,
	DEFAULT_NEIGHBORS = 16384,
	DEFAULT_ICMP_PPS = 1000,
	/* Sets of paths, in addition to one for each neighbour's own route. */
	DEFAULT_PATH_SETS = 65536,
};

static void use_default(uint32_t *value, uint32_t standard)
{
	if (!*value)
		*value = standard;
}

static int make_router(struct ws_router *router)
{
	if (!ws_pool_count())
		return fail(-EINVAL, "a router needs packet buffers; open its ports first, if only none");
	int error = rcu_init();
	if (!error)
		error = modules_make(router);
	for (uint16_t i = 0; i < ports_count() && !error; i++)
		error = router_make_port_interface(router, i);
	return error ? error : router_make_workers(router);
}

uint32_t ws_router_held_buffers(uint16_t workers)
{
	uint32_t handed = workers > 1 ? HANDOFF_SLOTS : 0; /* a single worker hands off nothing */
	return MAIN_INPUT_SLOTS + workers * (RECIRCULATE_SLOTS + HOLD_SLOTS + handed);
}

/* The router and everything that it points to, in one allocation. */
struct whole_router {
	struct ws_router router;
	struct ws_router_config config;
	struct interface_settings settings[WS_MAX_INTERFACES];
};

struct ws_router *ws_router_create(const struct ws_router_config *given)
{
	struct whole_router *whole = rte_zmalloc("router", sizeof(*whole), RTE_CACHE_LINE_SIZE);
	if (!whole) {
		fail(-ENOMEM, "no memory for a router");
		return NULL;
	}
	struct ws_router *router = &whole->router;
	struct ws_router_config *config = &whole->config;
	*config = *given;
	use_default(&config->max_ip4_routes, DEFAULT_IP4_ROUTES);
	use_default(&config->max_ip6_routes, DEFAULT_IP6_ROUTES);
	use_default(&config->max_neighbors, DEFAULT_NEIGHBORS);
	use_default(&config->max_interface_neighbors, (config->max_neighbors + 1) / 2);
	use_default(&config->max_path_sets, DEFAULT_PATH_SETS);
	use_default(&config->icmp_rate_pps, DEFAULT_ICMP_PPS);
	router->config = config;
	router->settings = whole->settings;
	router->worker_count = workers_count();
	router->tsc_hz = ws_tsc_hz();
	router->events.fd = -1;
	router->glean_seed = seed_random();
	if (make_router(router)) {
		ws_router_destroy(router);
		return NULL;
	}
	stats_update(router);
	return router;
}

void ws_router_destroy(struct ws_router *router)
{
	if (!router)
		return;
	ws_router_stop(router);
	modules_close(router);
	router_free_workers(router);
	modules_free(router);
	rte_free(router);
	rcu_close();
}

int ws_router_poll(struct ws_router *router)
{
	int count = router_handle_events(router);
	modules_poll(router);
	return count;
}
