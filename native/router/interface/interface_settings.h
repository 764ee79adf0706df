/* SPDX-License-Identifier: Apache-2.0 */
/* User settings of interfaces, and data derived from them. Main thread only. */
#pragma once

#include "router/router.h"
#include "wirespeed/interfaces.h"

struct interface_settings {
	char name[WS_NAME_LEN]; /* empty: the interface does not exist */
	uint8_t kind;           /* enum ws_interface_kind */
	bool link_up;
	bool promiscuous; /* set by the user */
	uint16_t parent;
	struct ws_subinterface sub;
	struct ws_tag_rewrite tag_rewrite;
	uint16_t mtus[WS_MTU_KINDS];
	struct address_list *addresses; /* its own addresses; never NULL */
	int32_t unnumbered_of;          /* interface whose addresses it uses, or -1 */
	uint16_t borrowers;             /* number of interfaces that use its addresses */
	uint32_t instance;              /* number of the loopback, tunnel or bond */
	uint16_t bridging;      /* number of interfaces on it, itself included, that do not route */
	uint32_t bridge_domain; /* bridge domain of the member; 0: none */
	uint16_t xconnect_to;   /* in WS_MODE_XCONNECT */
	uint8_t split_horizon_group;
	uint16_t bond; /* bond of the member; 0: none */
};

static inline const char *interface_name(const struct ws_router *router, uint16_t index)
{
	return router->settings[index].name;
}
