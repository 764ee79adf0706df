/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of the Linux control plane: an interface, and the TAP that stands for it in Linux.
 *
 * Nodes read `lcp` of both: for the interface it is the TAP for Linux's frames, for the TAP it is
 * the interface to send Linux's frames through. VLANs use the TAP of their port, where their frames
 * are tagged.
 */
#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_groups.h"
#include "router/interface/interface_settings.h"
#include "router/module.h"
#include "wirespeed/linux.h"

#include <errno.h>

/* Number of interfaces with a pair. */
ROUTER_MODULE(lcp_module, .name = "lcp", .state_size = sizeof(uint16_t))

static uint16_t *paired(const struct ws_router *router)
{
	return module_state(router, &lcp_module);
}

static void set_lcp(struct ws_router *router, uint16_t index, uint16_t other)
{
	uint16_t *lcp = &router->interfaces[index].lcp;
	*paired(router) += (other != LCP_NONE) - (*lcp != LCP_NONE);
	__atomic_store_n(lcp, other, __ATOMIC_RELEASE);
}

static int check_pair(const struct ws_router *router, uint16_t index, uint16_t host)
{
	const struct interface *one = &router->interfaces[index], *tap = &router->interfaces[host];
	if (interface_is_paired(one))
		return fail(-EEXIST, "interface %s is already paired with %s; lcp delete it first",
					interface_name(router, index), interface_name(router, one->lcp));
	if (router->settings[index].kind == WS_INTERFACE_SUB)
		return tap->is_lcp_host && tap->lcp == router->settings[index].parent
				   ? 0
				   : fail(-EINVAL, "interface %s: its port has no pair; lcp create the port first",
						  interface_name(router, index));
	if (index == host || interface_is_paired(tap))
		return fail(-EINVAL, "interface %s cannot be the Linux side of %s; name a TAP interface",
					interface_name(router, host), interface_name(router, index));
	return 0;
}

int ws_router_lcp_pair(struct ws_router *router, uint16_t index, uint16_t host)
{
	int error = router_check_interface(router, index);
	if (!error)
		error = router_check_interface(router, host);
	if (!error)
		error = interface_check_free(router, host);
	if (!error)
		error = check_pair(router, index, host);
	if (error)
		return error;
	if (router->settings[index].kind != WS_INTERFACE_SUB) {
		set_lcp(router, host, index);
		router->interfaces[host].is_lcp_host = true;
		router_publish_mac(&router->interfaces[host]);
	}
	set_lcp(router, index, host);
	router_update_groups(router, index);
	return 0;
}

/* Remove the interface from its pair. */
static void unpair(struct ws_router *router, uint16_t index)
{
	struct interface *interface = &router->interfaces[index];
	uint16_t other = interface->lcp;
	for (uint16_t i = 0; *paired(router) && i < router->interface_count; i++)
		if (i != index && router->interfaces[i].lcp == index)
			set_lcp(router, i, LCP_NONE);
	set_lcp(router, index, LCP_NONE);
	router_update_groups(router, index);
	if (other == LCP_NONE)
		return;
	struct interface *tap = interface->is_lcp_host ? interface : &router->interfaces[other];
	if (tap->lcp == LCP_NONE || tap->lcp == index) {
		set_lcp(router, (uint16_t)(tap - router->interfaces), LCP_NONE);
		tap->is_lcp_host = false;
		router_publish_mac(tap);
	}
}

int ws_router_lcp_unpair(struct ws_router *router, uint16_t index)
{
	int error = router_check_interface(router, index);
	if (error)
		return error;
	if (!interface_is_paired(&router->interfaces[index]))
		return fail(-ENOENT, "interface %s is not in a pair; show lcp lists them",
					interface_name(router, index));
	unpair(router, index);
	return 0;
}

static int watch_pairs(struct ws_router *router, uint16_t index, enum interface_change change)
{
	if (change == INTERFACE_LEAVES)
		unpair(router, index);
	return 0;
}
INTERFACE_WATCH(watch_pairs)
