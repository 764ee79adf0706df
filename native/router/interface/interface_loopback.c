/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/error.h"
#include "router/interface/interface_make.h"
#include "router/interface/interface_settings.h"
#include "router/interface_kind.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LOOPBACK_MTU = 9000 };

int ws_router_loopback_add(struct ws_router *router, uint32_t instance, const uint8_t *mac)
{
	struct interface interface = {.mtu = LOOPBACK_MTU};
	struct interface_settings settings = {
		.kind = WS_INTERFACE_LOOPBACK, .link_up = true, .instance = instance};
	const uint8_t made[6] = {0xde,
							 0xad,
							 (uint8_t)(instance >> 24),
							 (uint8_t)(instance >> 16),
							 (uint8_t)(instance >> 8),
							 (uint8_t)instance};
	if (mac && (ethernet_is_group(mac) || ethernet_is_zero(mac)))
		return fail(-EINVAL,
					"the MAC address of a loopback is multicast or zero; give a unicast one");
	memcpy(interface.mac, mac ? mac : made, sizeof(interface.mac));
	snprintf(settings.name, sizeof(settings.name), "loop%u", instance);
	return interface_make_own(router, &interface, &settings);
}

static const struct interface_kind loopback_kind = {
	.kind = WS_INTERFACE_LOOPBACK, .output = "loopback", .is_unlimited = true};
INTERFACE_KIND(loopback_kind)
