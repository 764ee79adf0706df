/* SPDX-License-Identifier: Apache-2.0 */
/* The set of the router's own addresses, from those of the interfaces. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/local_addresses.h"
#include "router/module.h"
#include "router/route/connected.h"
#include "router/route/route.h"
#include "wire/address.h"

#include <errno.h>
#include <stdlib.h>

/* Addresses of one family; sized for all of them. */
struct collection {
	struct local_address *at;
	uint32_t count, capacity;
};

static bool add(struct collection *to, struct local_address address)
{
	if (to->count == to->capacity) {
		uint32_t capacity = to->capacity ? to->capacity * 2 : 64;
		struct local_address *larger = realloc(to->at, capacity * sizeof(*larger));
		if (!larger)
			return false;
		to->at = larger;
		to->capacity = capacity;
	}
	to->at[to->count++] = address;
	return true;
}

/* The entry of an interface's address. Unnumbered interfaces have the address in their own table.
 */
static struct local_address local_address_of(const struct interface *interface,
											 const struct ws_address *address)
{
	return address->family == WS_IP4 ? local_address_ip4(address_ip4(address), interface->table[0])
									 : local_address_ip6(address->bytes, interface->table[1]);
}

static bool collect(const struct ws_router *router, uint16_t index, struct collection *ip4,
					struct collection *ip6)
{
	const struct interface *interface = &router->interfaces[index];
	struct connected_route routes[CONNECTED_MAX_ROUTES];
	uint32_t count = connected_routes(interface->addresses, routes);
	bool fits = true;
	for (uint32_t r = 0; r < count && fits; r++) {
		const struct ws_address *address = &routes[r].prefix.address;
		if (routes[r].kind != WS_PATH_ATTACHED)
			fits = add(address->family == WS_IP4 ? ip4 : ip6, local_address_of(interface, address));
	}
	return fits;
}

static void free_own(struct local_addresses *own)
{
	if (own) {
		free(own->ip4);
		free(own->ip6);
	}
	free(own);
}

static struct local_addresses *make(const struct collection *ip4, const struct collection *ip6)
{
	struct local_addresses *own = calloc(1, sizeof(*own));
	if (own) {
		own->ip4 = local_set_make(ip4->at, ip4->count);
		own->ip6 = local_set_make(ip6->at, ip6->count);
	}
	if (own && own->ip4 && own->ip6)
		return own;
	free_own(own);
	return NULL;
}

int router_update_local(struct ws_router *router)
{
	struct collection ip4 = {0}, ip6 = {0};
	struct local_addresses *own = NULL, *old = router->own;
	bool fits = true;
	for (uint16_t i = 0; i < router->interface_count && fits; i++)
		fits = collect(router, i, &ip4, &ip6);
	if (fits)
		own = make(&ip4, &ip6);
	free(ip4.at);
	free(ip6.at);
	if (!own)
		return fail(-ENOMEM, "no memory for the addresses of %u interfaces",
					router->interface_count);
	__atomic_store_n(&router->own, own, __ATOMIC_RELEASE);
	rcu_synchronize();
	free_own(old);
	return 0;
}

static bool is_own(const struct connected_route *routes, uint32_t count,
				   const struct ws_prefix *prefix)
{
	int found = connected_find(routes, count, prefix);
	return found >= 0 && routes[found].kind != WS_PATH_ATTACHED;
}

/* Add or remove the routes that are not in `others`; false when a bucket is full. */
static bool change_missing(struct ws_router *router, uint16_t index,
						   const struct connected_route *routes, uint32_t count,
						   const struct connected_route *others, uint32_t other_count, bool added)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct ws_prefix *prefix = &routes[i].prefix;
		if (routes[i].kind == WS_PATH_ATTACHED || is_own(others, other_count, prefix))
			continue;
		struct local_address address =
			local_address_of(&router->interfaces[index], &prefix->address);
		struct local_set *own =
			prefix->address.family == WS_IP4 ? router->own->ip4 : router->own->ip6;
		if (!added)
			local_set_remove(own, &address);
		else if (!local_set_add(own, &address))
			return false;
	}
	return true;
}

int router_change_local(struct ws_router *router, uint16_t index,
						const struct connected_route *before, uint32_t before_count,
						const struct connected_route *after, uint32_t after_count)
{
	/* A new set has all addresses, and no deleted ones. */
	if (!change_missing(router, index, after, after_count, before, before_count, true))
		return router_update_local(router);
	change_missing(router, index, before, before_count, after, after_count, false);
	return 0;
}

static void own_free(struct ws_router *router)
{
	free_own(router->own);
	router->own = NULL;
}

static int watch_own(struct ws_router *router, uint16_t index, enum interface_change change)
{
	(void)index;
	return change == INTERFACE_BORROWED_NUMBER || change == INTERFACE_LOST_NUMBER
			   ? router_update_local(router)
			   : 0;
}
INTERFACE_WATCH(watch_own)

ROUTER_MODULE(own_module, .name = "own-addresses", .is_trunk = true, .make = router_update_local,
			  .free = own_free)
