/* SPDX-License-Identifier: Apache-2.0 */
#include "router/dscp/dscp.h"

#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "wire/own_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ws_router_destroy frees the state. */
static int make_state(struct ws_router *router)
{
	if (dscp_of(router))
		return 0;
	struct dscp *made = calloc(1, sizeof(*made));
	if (!made)
		return fail(-ENOMEM, "no memory to count packets by DSCP");
	module_set_state(router, &dscp_module, made);
	return 0;
}

/* The node is in the graph while an interface needs it. */
static int update_node(struct ws_router *router)
{
	bool is_any_on = memchr(dscp_of(router)->is_on, true, WS_MAX_INTERFACES);
	return features_set(router, "dscp-ip4", NO_PORT, is_any_on);
}

int ws_router_set_dscp(struct ws_router *router, uint16_t index, bool on)
{
	int error = router_check_interface(router, index);
	if (!error)
		error = make_state(router);
	if (error)
		return error;
	bool *place = &dscp_of(router)->is_on[index], before = *place;
	__atomic_store_n(place, on, __ATOMIC_RELAXED);
	error = update_node(router);
	if (error)
		__atomic_store_n(place, before, __ATOMIC_RELAXED);
	return error;
}

int ws_router_dscp(struct ws_router *router, uint16_t index)
{
	int error = router_check_interface(router, index);
	return error ? error : dscp_of(router) && dscp_of(router)->is_on[index];
}

void ws_router_dscp_counts(struct ws_router *router, uint64_t *out)
{
	memset(out, 0, WS_DSCP_VALUES * sizeof(*out));
	for (uint16_t worker = 0; dscp_of(router) && worker < router->worker_count; worker++)
		for (int value = 0; value < WS_DSCP_VALUES; value++)
			out[value] += own_count_read(&dscp_of(router)->counts[worker][value]);
}

static int watch_dscp(struct ws_router *router, uint16_t index, enum interface_change change)
{
	if (change != INTERFACE_LEAVES || !dscp_of(router) || !dscp_of(router)->is_on[index])
		return 0;
	return ws_router_set_dscp(router, index, false);
}
INTERFACE_WATCH(watch_dscp)

ROUTER_MODULE_EXTERN(dscp_module, .name = "dscp")
