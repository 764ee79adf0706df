/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of packet length: of a port, and of routing for each protocol. */
#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_device.h"
#include "router/interface/interface_settings.h"
#include "router/interface_kind.h"
#include "wirespeed/ports.h"

#include <errno.h>

enum { MIN_MTU = 68 /* RFC 791 */ };

uint16_t interface_carries(const struct ws_router *router, uint16_t index)
{
	const struct interface_settings *settings = &router->settings[index];
	return interface_kind_of(router, settings->parent)->is_unlimited
			   ? WS_MAX_MTU
			   : router->settings[settings->parent].mtus[WS_MTU_L2];
}

static void publish_mtus(struct ws_router *router, uint16_t index)
{
	router->interfaces[index].mtu = router->settings[index].mtus[WS_MTU_L3];
	router_update_adjacencies(router, index);
	interface_changed(router, index, INTERFACE_MTU_CHANGED);
}

int ws_router_set_protocol_mtu(struct ws_router *router, uint16_t index, int32_t kind, uint16_t mtu)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	if (kind < WS_MTU_L3 || kind >= WS_MTU_KINDS)
		return fail(-EINVAL, "MTU type %d does not exist", kind);
	bool follows = kind != WS_MTU_L3 && !mtu;
	if (interface_kind_of(router, index)->sets_mtu && mtu <= WS_MAX_MTU &&
		mtu > router->settings[index].mtus[WS_MTU_L2])
		router->settings[index].mtus[WS_MTU_L2] = mtu;
	if (!follows && (mtu < MIN_MTU || mtu > interface_carries(router, index)))
		return fail(-EINVAL,
					"interface %s takes an MTU of %d to %u, not %u; set interface mtu changes what "
					"its port carries",
					interface_name(router, index), MIN_MTU, interface_carries(router, index), mtu);
	router->settings[index].mtus[kind] = mtu;
	publish_mtus(router, index);
	return 0;
}

/* Interfaces on the port carry at most its MTU. */
static void lower(struct ws_router *router, uint16_t port, uint16_t mtu)
{
	for (uint16_t i = 0; i < router->interface_count; i++) {
		if (!*interface_name(router, i) || router->settings[i].parent != port)
			continue;
		uint16_t *mtus = router->settings[i].mtus;
		for (int kind = WS_MTU_L3; kind < WS_MTU_KINDS; kind++)
			if (mtus[kind] > mtu)
				mtus[kind] = mtu;
		publish_mtus(router, i);
	}
}

static int set_own_mtu(struct ws_router *router, uint16_t index, uint16_t mtu)
{
	if (mtu < MIN_MTU || mtu > WS_MAX_MTU)
		return fail(-EINVAL, "interface %s takes an MTU of %d to %d, not %u",
					interface_name(router, index), MIN_MTU, WS_MAX_MTU, mtu);
	router->settings[index].mtus[WS_MTU_L2] = router->settings[index].mtus[WS_MTU_L3] = mtu;
	lower(router, index, mtu);
	return 0;
}

int ws_router_set_mtu(struct ws_router *router, uint16_t index, uint16_t mtu)
{
	struct ws_port_info info;
	if (router_check_interface(router, index))
		return -ENODEV;
	if (interface_kind_of(router, index)->sets_mtu)
		return set_own_mtu(router, index, mtu);
	if (router->settings[index].kind != WS_INTERFACE_PORT)
		return ws_router_set_protocol_mtu(router, index, WS_MTU_L3, mtu);
	int error = ws_port_info(index, &info);
	if (error)
		return error;
	uint16_t most = WS_MAX_MTU;
	if (info.max_mtu && info.max_mtu < most)
		most = info.max_mtu;
	if (mtu < MIN_MTU || mtu > most)
		return fail(-EINVAL, "interface %s takes an MTU of %d to %u, not %u", info.name, MIN_MTU,
					most, mtu);
	/* Drivers without the call accept all frames that fit their buffers. */
	error = router_set_device_mtu(router, index, mtu);
	if (error && error != -ENOTSUP && mtu > info.mtu)
		return error;
	router->settings[index].mtus[WS_MTU_L2] = router->settings[index].mtus[WS_MTU_L3] = mtu;
	lower(router, index, mtu);
	return 0;
}
