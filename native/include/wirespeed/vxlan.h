/* SPDX-License-Identifier: Apache-2.0 */
/* VXLAN tunnels (RFC 7348): interfaces whose frames are sent in UDP to one remote end. */
#pragma once

#include "wirespeed/address.h"

#include <stdint.h>

struct ws_router;

/* Content of a tunnel's packets: Ethernet frames, or IP packets without one. */
enum ws_vxlan_decap { WS_VXLAN_L2 = 0, WS_VXLAN_IP4 = 1, WS_VXLAN_IP6 = 2 };

struct ws_vxlan_tunnel {
	uint32_t instance; /* number in its name */
	struct ws_address source, destination;
	uint32_t vni;   /* 24 bits */
	uint32_t table; /* id of the one that the other end is looked up in, and is heard in */
	int32_t decap;  /* enum ws_vxlan_decap */
};

/*
 * `vxlan_tunnel0` and so on; returns its number. -EEXIST when there is one to the same end with the
 * same VNI. ws_router_interface_delete() takes it away.
 */
int ws_router_vxlan_add(struct ws_router *router, const struct ws_vxlan_tunnel *tunnel);
/* -ENODEV when the interface is no tunnel. */
int ws_router_vxlan(struct ws_router *router, uint16_t index, struct ws_vxlan_tunnel *out);
