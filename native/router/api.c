/* SPDX-License-Identifier: Apache-2.0 */
/* The Router section of the seam. */
#include "dev/error.h"
#include "wirespeed.h"

#include <errno.h>

struct ws_router *ws_router_create(const struct ws_router_config *config)
{
	(void)config;
	fail(-ENOTSUP, "the router is being built");
	return NULL;
}

int ws_router_start(struct ws_router *router)
{
	(void)router;
	return fail(-ENOTSUP, "the router is being built");
}

void ws_router_stop(struct ws_router *router)
{
	(void)router;
}

void ws_router_destroy(struct ws_router *router)
{
	(void)router;
}

int ws_router_interface_count(struct ws_router *router)
{
	(void)router;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_interface(struct ws_router *router, uint16_t index, struct ws_interface *out)
{
	(void)router;
	(void)index;
	(void)out;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_interface_counters(struct ws_router *router, uint16_t index,
								 struct ws_interface_counters *out)
{
	(void)router;
	(void)index;
	(void)out;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_set_state(struct ws_router *router, uint16_t index, bool up)
{
	(void)router;
	(void)index;
	(void)up;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_set_mtu(struct ws_router *router, uint16_t index, uint16_t mtu)
{
	(void)router;
	(void)index;
	(void)mtu;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac)
{
	(void)router;
	(void)index;
	(void)mac;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_address_add(struct ws_router *router, uint16_t index, struct ws_ip4_prefix prefix)
{
	(void)router;
	(void)index;
	(void)prefix;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_address_del(struct ws_router *router, uint16_t index, struct ws_ip4_prefix prefix)
{
	(void)router;
	(void)index;
	(void)prefix;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_set_xconnect(struct ws_router *router, uint16_t index,
						   uint16_t to)
{
	(void)router;
	(void)index;
	(void)to;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_set_l3(struct ws_router *router, uint16_t index)
{
	(void)router;
	(void)index;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_set_placement(struct ws_router *router, uint16_t index, uint16_t queue,
							uint16_t worker)
{
	(void)router;
	(void)index;
	(void)queue;
	(void)worker;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_placement(struct ws_router *router, uint16_t index, uint16_t queue)
{
	(void)router;
	(void)index;
	(void)queue;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_route_add(struct ws_router *router, const struct ws_route *route, bool replace)
{
	(void)router;
	(void)route;
	(void)replace;
	return fail(-ENOTSUP, "the router is being built");
}

int64_t ws_router_route_add_many(struct ws_router *router, const struct ws_route *first,
								 uint32_t count, bool replace)
{
	(void)router;
	(void)first;
	(void)count;
	(void)replace;
	return fail(-ENOTSUP, "the router is being built");
}

int64_t ws_router_route_del_many(struct ws_router *router, struct ws_ip4_prefix first,
								 uint32_t count)
{
	(void)router;
	(void)first;
	(void)count;
	return fail(-ENOTSUP, "the router is being built");
}

int64_t ws_router_route_count(struct ws_router *router)
{
	(void)router;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_routes(struct ws_router *router, uint64_t start, struct ws_route *out, uint32_t max)
{
	(void)router;
	(void)start;
	(void)out;
	(void)max;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_route_lookup(struct ws_router *router, uint32_t address, struct ws_route *out)
{
	(void)router;
	(void)address;
	(void)out;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_neighbor_add(struct ws_router *router, uint16_t interface, uint32_t address,
						   const uint8_t *mac)
{
	(void)router;
	(void)interface;
	(void)address;
	(void)mac;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_neighbor_del(struct ws_router *router, uint16_t interface, uint32_t address)
{
	(void)router;
	(void)interface;
	(void)address;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_neighbors(struct ws_router *router, uint32_t start, struct ws_neighbor *out,
						uint32_t max)
{
	(void)router;
	(void)start;
	(void)out;
	(void)max;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_event_fd(struct ws_router *router)
{
	(void)router;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_poll(struct ws_router *router)
{
	(void)router;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_node_stats(struct ws_router *router, uint16_t worker, struct ws_node_stats *out,
						 uint32_t max)
{
	(void)router;
	(void)worker;
	(void)out;
	(void)max;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_node_counters(struct ws_router *router, uint16_t worker, struct ws_node_counter *out,
							uint32_t max)
{
	(void)router;
	(void)worker;
	(void)out;
	(void)max;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_totals(struct ws_router *router, uint16_t worker, struct ws_router_totals *out)
{
	(void)router;
	(void)worker;
	(void)out;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_trace_add(struct ws_router *router, const char *node, uint32_t count)
{
	(void)router;
	(void)node;
	(void)count;
	return fail(-ENOTSUP, "the router is being built");
}

int ws_router_trace(struct ws_router *router, uint16_t worker, uint64_t start,
					struct ws_trace_step *out, uint32_t max)
{
	(void)router;
	(void)worker;
	(void)start;
	(void)out;
	(void)max;
	return fail(-ENOTSUP, "the router is being built");
}

void ws_router_trace_clear(struct ws_router *router)
{
	(void)router;
}
