/* SPDX-License-Identifier: Apache-2.0 */
/* User settings of interfaces, and what follows from them. Main thread only. */
#pragma once

#include "router/router.h"
#include "wirespeed/interfaces.h"

struct interface_settings {
	char name[WS_NAME_LEN]; /* empty: there is no such interface */
	uint8_t kind;           /* enum ws_interface_kind */
	bool link_up;
	bool promiscuous; /* the user wants it */
	uint16_t parent;
	struct ws_subinterface sub;
	struct ws_tag_rewrite tag_rewrite;
	uint16_t mtus[WS_MTU_KINDS];
	struct address_list *addresses; /* its own; never NULL */
	int32_t unnumbered_of;          /* interface whose addresses it uses, or -1 */
	uint16_t borrowers;             /* number of interfaces that use its addresses */
	uint32_t instance;              /* number of the loopback, tunnel or bond */
	uint16_t bridging;              /* interfaces on it, itself included, that do not route */
	uint32_t bridge_domain;         /* that it is a member of; 0: of none */
	uint16_t xconnect_to;           /* in WS_MODE_XCONNECT */
	uint8_t split_horizon_group;
	uint16_t bond; /* that the port is a member of; 0: of none */
};

static inline const char *interface_name(const struct ws_router *router, uint16_t index)
{
	return router->settings[index].name;
}
