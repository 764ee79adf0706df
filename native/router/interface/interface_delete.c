/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_make.h"
#include "router/interface/interface_settings.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/ip6_settings.h"
#include "wirespeed/ports.h"

#include <errno.h>

static int check_unused(struct ws_router *router, uint16_t index)
{
	const char *name = interface_name(router, index);
	bool is_used = router->interfaces[index].vlans || router->settings[index].borrowers;
	for (uint16_t i = 0; is_used && i < router->interface_count; i++) {
		if (i == index || !*interface_name(router, i))
			continue;
		if (router->settings[i].parent == index)
			return fail(-EEXIST, "%s has sub-interface %s; delete that one first", name,
						interface_name(router, i));
		if (router->settings[i].unnumbered_of == index)
			return fail(-EEXIST, "%s uses the addresses of %s; end that first",
						interface_name(router, i), name);
	}
	return interface_changed(router, index, INTERFACE_TO_BE_DELETED);
}

/* No higher layer uses the interface any more, and it neither sends nor receives. */
static int let_go(struct ws_router *router, uint16_t index)
{
	ws_router_set_state(router, index, false);
	/* The end of an unnumbered interface rebuilds the addresses of all interfaces. */
	if (router->settings[index].unnumbered_of >= 0)
		ws_router_set_unnumbered(router, index, -1);
	int error = interface_changed(router, index, INTERFACE_LEAVES);
	if (error)
		return error;
	*ip6_settings(router, index) = (struct ip6_settings){0};
	return router_update_ip6(router, index);
}

/* Graphs without the port are made first, so that it is either deleted completely or stays, down.
 */
static int delete_port(struct ws_router *router, uint16_t index)
{
	struct graph_set graphs;
	int error = graphs_make(router, index, &graphs);
	if (error)
		return error;
	interface_free(router, index);
	router_place_queues(router);
	graphs_swap(router, &graphs);
	return ws_port_delete(index);
}

int ws_router_interface_delete(struct ws_router *router, uint16_t index)
{
	int error = router_check_interface(router, index);
	if (!error)
		error = check_unused(router, index);
	if (!error)
		error = let_go(router, index);
	if (error)
		return error;
	if (router->settings[index].kind == WS_INTERFACE_PORT)
		return delete_port(router, index);
	if (router->settings[index].kind == WS_INTERFACE_SUB)
		subinterface_leave(router, index);
	/* Wait until packets on their way to the interface are gone. */
	rcu_synchronize();
	interface_free(router, index);
	return 0;
}
