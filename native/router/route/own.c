/* SPDX-License-Identifier: Apache-2.0 */
/* The set of addresses that are ours, by what the interfaces have. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/own_addresses.h"
#include "router/route/connected.h"
#include "router/route/route.h"
#include "wire/address.h"

#include <errno.h>
#include <stdlib.h>

/* Of one family, with room for all that there are. */
struct collection {
	struct own_address *at;
	uint32_t count, room;
};

static bool add(struct collection *to, struct own_address address)
{
	if (to->count == to->room) {
		uint32_t room = to->room ? to->room * 2 : 64;
		struct own_address *larger = realloc(to->at, room * sizeof(*larger));
		if (!larger)
			return false;
		to->at = larger;
		to->room = room;
	}
	to->at[to->count++] = address;
	return true;
}

/* An interface that uses another's addresses has them in its own table. */
static bool collect(const struct ws_router *router, uint16_t index, struct collection *ip4,
					struct collection *ip6)
{
	const struct interface *interface = &router->interfaces[index];
	struct connected_route routes[CONNECTED_MAX_ROUTES];
	uint32_t count = connected_routes(interface->addresses, routes);
	bool fits = true;
	for (uint32_t r = 0; r < count && fits; r++) {
		const struct ws_address *address = &routes[r].prefix.address;
		if (routes[r].kind == WS_PATH_ATTACHED)
			continue;
		fits = address->family == WS_IP4
				   ? add(ip4, own_address_ip4(address_ip4(address), interface->table[0]))
				   : add(ip6, own_address_ip6(address->bytes, interface->table[1]));
	}
	return fits;
}

static void free_own(struct own_addresses *own)
{
	if (own) {
		free(own->ip4);
		free(own->ip6);
	}
	free(own);
}

static struct own_addresses *make(const struct collection *ip4, const struct collection *ip6)
{
	struct own_addresses *own = calloc(1, sizeof(*own));
	if (own) {
		own->ip4 = own_set_make(ip4->at, ip4->count);
		own->ip6 = own_set_make(ip6->at, ip6->count);
	}
	if (own && own->ip4 && own->ip6)
		return own;
	free_own(own);
	return NULL;
}

int router_update_own(struct ws_router *router)
{
	struct collection ip4 = {0}, ip6 = {0};
	struct own_addresses *own = NULL, *old = router->own;
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

void router_free_own(struct ws_router *router)
{
	free_own(router->own);
	router->own = NULL;
}

static int watch_own(struct ws_router *router, uint16_t index, enum interface_change change,
					 const uint8_t *old_mac)
{
	(void)index;
	(void)old_mac;
	return change == INTERFACE_BORROWED_NUMBER || change == INTERFACE_LOST_NUMBER
			   ? router_update_own(router)
			   : 0;
}
INTERFACE_WATCH(watch_own)
