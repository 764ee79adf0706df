/* SPDX-License-Identifier: Apache-2.0 */
/* The table of labels, and the interfaces that accept labelled packets. */
#include "router/mpls/mpls.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/fib/own_balance.h"
#include "router/interface/interface_settings.h"
#include "router/route/counting.h"
#include "router/route/route.h"
#include "wirespeed/mpls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct path_list *paths_of(const struct ws_router *router, uint32_t load_balance)
{
	return router->load_balances.uses[load_balance].list;
}

static int check_table(const struct ws_router *router)
{
	return mpls_table(router) ? 0
							  : fail(-ENOENT, "there is no MPLS table; mpls table add 0 makes it");
}

/* Set the label's route to this load balance, which takes over a reference; on failure it does not.
 */
static int put(struct ws_router *router, uint32_t index, uint32_t load_balance)
{
	struct load_balance_table *balances = &router->load_balances;
	struct mpls_table *table = mpls_table(router);
	uint32_t before = table->routes[index], old = load_balance_base(balances, before);
	int64_t value = load_balance ? route_balance(balances, before, load_balance) : 0;
	if (value < 0) {
		load_balance_release(balances, load_balance, 1);
		return (int)value;
	}
	table->count += (load_balance != 0) - (old != 0);
	__atomic_store_n(&table->routes[index], (uint32_t)value, __ATOMIC_RELEASE);
	if (!value)
		route_balance_release(balances, before);
	if (old)
		load_balance_release(balances, old, 1);
	return 0;
}

/* ---- The table ---- */

static int add_reserved(struct ws_router *router, uint32_t label, bool bottom, uint16_t payload,
						enum ws_path_kind kind)
{
	union path_list_buffer buffer;
	buffer.list = (struct path_list){WS_SOURCE_CONNECTED, payload, .count = 1};
	buffer.list.paths[0] = (struct path_key){
		.kind = (uint8_t)kind,
		.weight = 1,
		.interface = PATH_NO_INTERFACE,
	};
	int64_t load_balance = load_balance_take(&router->load_balances, &buffer.list);
	if (load_balance < 0)
		return (int)load_balance;
	return put(router, mpls_route_index(label, bottom), (uint32_t)load_balance);
}

static void remove_all(struct ws_router *router)
{
	for (uint32_t i = 0; i < MPLS_ROUTES; i++)
		if (mpls_table(router)->routes[i])
			put(router, i, LOAD_BALANCE_NO_ROUTE);
}

/* Explicit null is popped for the protocol behind it, also in front of further labels (RFC 4182).
 */
static int add_all_reserved(struct ws_router *router)
{
	static const struct {
		uint8_t label, payload;
		bool bottom;
		uint8_t kind;
	} reserved[] = {
		{MPLS_IP4_EXPLICIT_NULL, PAYLOAD_MPLS_IP4, true, WS_PATH_LOCAL},
		{MPLS_IP4_EXPLICIT_NULL, PAYLOAD_MPLS, false, WS_PATH_LOCAL},
		{MPLS_ROUTER_ALERT, PAYLOAD_MPLS_IP4, true, WS_PATH_DROP},
		{MPLS_ROUTER_ALERT, PAYLOAD_MPLS, false, WS_PATH_DROP},
		{MPLS_IP6_EXPLICIT_NULL, PAYLOAD_MPLS_IP6, true, WS_PATH_LOCAL},
		{MPLS_IP6_EXPLICIT_NULL, PAYLOAD_MPLS, false, WS_PATH_LOCAL},
	};
	int error = 0;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]) && !error; i++)
		error = add_reserved(router, reserved[i].label, reserved[i].bottom, reserved[i].payload,
							 (enum ws_path_kind)reserved[i].kind);
	return error;
}

static void mpls_free(struct ws_router *router)
{
	struct mpls_table *table = mpls_table(router);
	if (!table)
		return;
	remove_all(router);
	module_set_state(router, &mpls_module, NULL);
	rcu_synchronize();
	free(table);
}

int ws_router_mpls_table_add(struct ws_router *router)
{
	if (mpls_table(router))
		return 0;
	struct mpls_table *table = calloc(1, sizeof(*table));
	if (!table)
		return fail(-ENOMEM, "no memory for an MPLS table, which takes 8 MB");
	/* Workers test whether the table exists. */
	module_set_state(router, &mpls_module, table);
	int error = add_all_reserved(router);
	if (error)
		mpls_free(router);
	else
		table->reserved = table->count;
	return error;
}

int ws_router_mpls_table_del(struct ws_router *router)
{
	int error = check_table(router);
	for (uint16_t i = 0; !error && i < router->interface_count; i++)
		if (router->interfaces[i].mpls)
			error = fail(-EBUSY, "interface %s takes MPLS; set interface mpls %s disable ends that",
						 interface_name(router, i), interface_name(router, i));
	const struct mpls_table *table = mpls_table(router);
	if (!error && table->count > table->reserved)
		error = fail(-EBUSY, "the MPLS table has routes of %u labels; delete them first",
					 table->count - table->reserved);
	if (!error)
		mpls_free(router);
	return error;
}

int ws_router_has_mpls_table(struct ws_router *router)
{
	return mpls_table(router) != NULL;
}

int ws_router_set_mpls(struct ws_router *router, uint16_t index, bool on)
{
	int error = router_check_interface(router, index);
	if (!error && on)
		error = check_table(router);
	if (!error)
		__atomic_store_n(&router->interfaces[index].mpls, on, __ATOMIC_RELAXED);
	return error;
}

/* ---- Routes ---- */

static int check_label(const struct ws_router *router, uint32_t label)
{
	if (check_table(router))
		return -ENOENT;
	return label >= MPLS_FIRST_FREE && label <= MPLS_MAX_LABEL
			   ? 0
			   : fail(-EINVAL, "label %u is reserved or too large; routes have %d to %d", label,
					  MPLS_FIRST_FREE, MPLS_MAX_LABEL);
}

static uint16_t payload_of(const struct ws_mpls_route *route)
{
	if (!route->bottom)
		return PAYLOAD_MPLS;
	return route->payload == WS_IP6 ? PAYLOAD_MPLS_IP6 : PAYLOAD_MPLS_IP4;
}

int ws_router_mpls_route_set(struct ws_router *router, const struct ws_mpls_route *route)
{
	union path_list_buffer buffer;
	int error = check_label(router, route->label);
	if (!error)
		error = router_check_paths(router, route->paths, route->path_count,
								   route->source == WS_SOURCE_LINUX ? WS_SOURCE_LINUX
																	: WS_SOURCE_STATIC,
								   payload_of(route), &buffer);
	if (error)
		return error;
	for (uint16_t i = 0; i < route->path_count; i++)
		if (route->paths[i].kind == WS_PATH_ATTACHED && !route->bottom)
			return fail(-EINVAL, "a path with labels needs a next hop; give its address");
	int64_t load_balance = load_balance_take(&router->load_balances, &buffer.list);
	if (load_balance < 0)
		return (int)load_balance;
	return put(router, mpls_route_index(route->label, route->bottom), (uint32_t)load_balance);
}

int ws_router_mpls_route_del(struct ws_router *router, uint32_t label, bool bottom)
{
	int error = check_label(router, label);
	if (error)
		return error;
	if (!mpls_table(router)->routes[mpls_route_index(label, bottom)])
		return fail(-ENOENT, "label %u has no route for %s packets", label,
					bottom ? "bottom-of-stack" : "non-bottom");
	return put(router, mpls_route_index(label, bottom), LOAD_BALANCE_NO_ROUTE);
}

static void describe(const struct ws_router *router, uint32_t index, struct ws_mpls_route *out)
{
	uint32_t value = mpls_table(router)->routes[index];
	const struct path_list *list = paths_of(router, value);
	out->label = index / 2;
	out->bottom = index % 2;
	out->payload = list->payload == PAYLOAD_MPLS_IP4   ? WS_IP4
				   : list->payload == PAYLOAD_MPLS_IP6 ? WS_IP6
													   : 0;
	out->source = list->source;
	out->index = value;
	out->path_count = router_describe_paths(router, value, out->paths);
}

int ws_router_mpls_route_get(struct ws_router *router, uint32_t label, bool bottom,
							 struct ws_mpls_route *out)
{
	if (check_table(router) || label > MPLS_MAX_LABEL ||
		!mpls_table(router)->routes[mpls_route_index(label, bottom)])
		return -ENOENT;
	describe(router, mpls_route_index(label, bottom), out);
	return 0;
}

int ws_router_mpls_routes(struct ws_router *router, uint32_t label, struct ws_mpls_route *out,
						  uint32_t max)
{
	uint32_t n = 0;
	if (check_table(router))
		return -ENOENT;
	for (uint32_t i = mpls_route_index(label, false); i < MPLS_ROUTES && n < max; i++)
		if (mpls_table(router)->routes[i])
			describe(router, i, &out[n++]);
	return (int)n;
}

static int settle_labels(struct ws_router *router)
{
	struct load_balance_table *balances = &router->load_balances;
	struct mpls_table *table = mpls_table(router);
	for (uint32_t i = 0; table && i < (uint32_t)MPLS_ROUTES; i++) {
		uint32_t before = table->routes[i];
		int64_t value = counting_value(balances, before);
		if (value < 0)
			return (int)value;
		__atomic_store_n(&table->routes[i], (uint32_t)value, __ATOMIC_RELEASE);
		if (value != before)
			route_balance_release(balances, before);
	}
	return 0;
}
COUNTED_ROUTES(settle_labels)

ROUTER_MODULE_EXTERN(mpls_module, .name = "mpls", .free = mpls_free)
