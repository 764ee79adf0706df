/* SPDX-License-Identifier: Apache-2.0 */
/* The data of an interface for workers: its destination MAC address, and the header of its frames.
 */
#include "router/interface/interface_settings.h"
#include "router/interface/vlan.h"
#include "wire/ethernet.h"

#include <string.h>

void router_publish_mac(struct interface *interface)
{
	bool untagged_are_others = interface->vlans && interface->vlans->untagged != VLAN_NONE;
	bool takes_l3 = interface->admin_up && interface->mode == WS_MODE_L3 &&
					!interface->is_lcp_host && !untagged_are_others;
	uint64_t mac = takes_l3 ? ethernet_address_number(interface->mac) : INTERFACE_NO_MAC;
	__atomic_store_n(&interface->l3_mac, mac, __ATOMIC_RELAXED);
	bool takes_all = interface->admin_up && interface->mode != WS_MODE_L3 && !interface->vlans &&
					 !interface->is_lcp_host;
	__atomic_store_n(&interface->takes_all, takes_all, __ATOMIC_RELAXED);
}

/* The longest packet of a protocol that routing sends through the interface. */
static uint16_t routed_mtu(const struct ws_router *router, uint16_t index, enum ws_mtu_kind kind)
{
	const uint16_t *mtus = router->settings[index].mtus;
	return mtus[kind] ? mtus[kind] : mtus[WS_MTU_L3];
}

void router_update_adjacencies(struct ws_router *router, uint16_t index)
{
	const struct interface *interface = &router->interfaces[index];
	struct adjacency_interface config = {
		.mtus[LINK_IP4] = routed_mtu(router, index, WS_MTU_IP4),
		.mtus[LINK_IP6] = routed_mtu(router, index, WS_MTU_IP6),
		.mtus[LINK_MPLS] = routed_mtu(router, index, WS_MTU_MPLS),
		.output = interface->output,
		.tags_len = interface->tag_len,
	};
	memcpy(config.mac, interface->mac, sizeof(config.mac));
	memcpy(config.tags, interface->tags, sizeof(config.tags));
	adjacency_set_interface(&router->adjacencies, index, &config);
}
