/* SPDX-License-Identifier: Apache-2.0 */
/* The state of routes: the default tables, adjacencies and load balances. */
#include "router/module.h"
#include "router/route/route.h"
#include "wirespeed/router.h"

static int routes_make(struct ws_router *router)
{
	const struct ws_router_config *config = router->config;
	int error = router_make_table(router, WS_IP4, 0, 0, NULL, config->max_ip4_routes);
	if (!error)
		error = router_make_table(router, WS_IP6, 0, 0, NULL, config->max_ip6_routes);
	if (!error)
		error = adjacency_table_init(&router->adjacencies, config->max_neighbors,
									 config->max_path_sets);
	if (!error)
		error = load_balance_table_init(&router->load_balances, &router->adjacencies,
										config->max_neighbors + config->max_path_sets);
	router->load_balances.resolve = router_resolve;
	router->load_balances.resolve_context = router;
	return error;
}

static void routes_free(struct ws_router *router)
{
	load_balance_table_close(&router->load_balances);
	adjacency_table_close(&router->adjacencies);
	router_free_tables(router);
}

ROUTER_MODULE(routes_module, .name = "routes", .is_trunk = true, .make = routes_make,
			  .free = routes_free)
