/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interfaces without own addresses that use another's, for ARP and as the source of errors. Workers
 * see the other interface's list in place of their own; no routes are added.
 */
#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"

#include <errno.h>

static int check_unnumbered(const struct ws_router *router, uint16_t index, uint16_t of)
{
	const char *name = interface_name(router, index);
	if (router_check_interface(router, of))
		return -ENODEV;
	if (interface_check_free(router, index) || interface_check_free(router, of))
		return -EINVAL;
	if (of == index)
		return fail(-EINVAL, "interface %s cannot lend addresses to itself; name another", name);
	if (router->settings[of].unnumbered_of >= 0)
		return fail(-EINVAL, "interface %s has no addresses of its own; add one, or name another",
					interface_name(router, of));
	if (router->settings[index].addresses->given)
		return fail(-EEXIST, "interface %s has addresses of its own; delete them first", name);
	for (uint16_t i = 0; router->settings[index].borrowers && i < router->interface_count; i++)
		if (router->settings[i].unnumbered_of == index)
			return fail(-EEXIST, "interface %s uses the addresses of %s; end that first",
						interface_name(router, i), name);
	return 0;
}

int ws_router_set_unnumbered(struct ws_router *router, uint16_t index, int32_t of)
{
	int error = router_check_interface(router, index);
	if (!error && of >= 0)
		error = check_unnumbered(router, index, (uint16_t)of);
	if (error)
		return error;
	struct interface_settings *settings = &router->settings[index];
	struct interface *interface = &router->interfaces[index];
	if (settings->unnumbered_of >= 0)
		router->settings[settings->unnumbered_of].borrowers--;
	settings->unnumbered_of = of < 0 ? -1 : of;
	if (of >= 0)
		router->settings[of].borrowers++;
	__atomic_store_n(&interface->is_unnumbered, of >= 0, __ATOMIC_RELAXED);
	__atomic_store_n(&interface->addresses,
					 of < 0 ? settings->addresses : router->settings[of].addresses,
					 __ATOMIC_RELEASE);
	return interface_changed(router, index,
							 of < 0 ? INTERFACE_LOST_NUMBER : INTERFACE_BORROWED_NUMBER);
}
