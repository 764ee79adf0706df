/* SPDX-License-Identifier: Apache-2.0 */
/* Many changes of routes in one call. */
#include "wirespeed.h"

int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results)
{
	int failed = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct ws_route *route = &changes[i].route;
		int64_t done =
			changes[i].is_removal
				? ws_router_route_del_many(router, route->table, route->prefix, route->source, 1)
				: ws_router_route_add_many(router, route, 1, true);
		results[i] = done < 0 ? (int32_t)done : 0;
		failed += done < 0;
	}
	return failed;
}
