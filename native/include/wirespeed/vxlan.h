/* SPDX-License-Identifier: Apache-2.0 */
/* VXLAN tunnels (RFC 7348): interfaces whose frames are sent in UDP to one remote endpoint. */
#pragma once

#include "wirespeed/address.h"

#include <stdint.h>

struct ws_router;

/* Content of a tunnel's packets: Ethernet frames, or IP packets without Ethernet header. */
enum ws_vxlan_decap { WS_VXLAN_L2 = 0, WS_VXLAN_IP4 = 1, WS_VXLAN_IP6 = 2 };

struct ws_vxlan_tunnel {
	uint32_t instance; /* number in its name */
	struct ws_address source, destination;
	uint32_t vni;   /* 24 bits */
	uint32_t table; /* table id for the remote endpoint, in both directions */
	int32_t decap;  /* enum ws_vxlan_decap */
};

/*
 * `vxlan_tunnel0` and so on; returns its number. -EEXIST if there is one with the same remote
 * endpoint and VNI. ws_router_interface_delete() deletes it.
 */
int ws_router_vxlan_add(struct ws_router *router, const struct ws_vxlan_tunnel *tunnel);
/* -ENODEV if the interface is not a tunnel. */
int ws_router_vxlan(struct ws_router *router, uint16_t index, struct ws_vxlan_tunnel *out);
