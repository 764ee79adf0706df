/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multicast groups that a port must receive: those joined by the router itself, on the port and on
 * interfaces on it. On a paired interface Linux may join any group; members of a bond receive the
 * bond's groups, and slow protocols. Layer 2 receives by promiscuous mode.
 */
#include "router/interface/interface_groups.h"

#include "dev/port.h"
#include "router/interface/interface_settings.h"
#include "router/interface/ip6_interface.h"
#include "wire/ethernet.h"

/* NICs do not have longer lists. */
enum { MOST_GROUPS = 256 };

struct groups {
	uint8_t at[MOST_GROUPS][ETHERNET_ADDRESS_LEN];
	uint32_t count;
	bool are_all; /* too many groups for a list */
};

static void add(struct groups *groups, const uint8_t *group)
{
	uint8_t mac[ETHERNET_ADDRESS_LEN];
	ip6_multicast_mac(mac, group);
	for (uint32_t i = 0; i < groups->count; i++)
		if (!memcmp(groups->at[i], mac, sizeof(mac)))
			return;
	if (groups->count == MOST_GROUPS)
		groups->are_all = true;
	else
		memcpy(groups->at[groups->count++], mac, sizeof(mac));
}

static void add_interface(struct groups *groups, const struct ws_router *router, uint16_t index)
{
	const struct interface *interface = &router->interfaces[index];
	const struct address_list *list = interface->addresses;
	uint8_t group[IP6_ADDRESS_LEN];
	groups->are_all |= interface_is_paired(interface);
	if (!router->ip6[index])
		return;
	ip6_solicited_node(group, router->ip6[index]->link_local);
	add(groups, group);
	for (uint16_t i = 0; i < list->given && !groups->are_all; i++) {
		if (list->at[i].address.family != WS_IP6)
			continue;
		ip6_solicited_node(group, list->at[i].address.bytes);
		add(groups, group);
	}
}

void router_update_groups(struct ws_router *router, uint16_t index)
{
	uint16_t port = router->settings[index].parent;
	struct groups groups = {.are_all = router->settings[port].bond};
	uint8_t group[IP6_ADDRESS_LEN];
	if (router->settings[port].kind != WS_INTERFACE_PORT || !port_filters_groups(port))
		return;
	ip6_all_nodes(group);
	add(&groups, group);
	ip6_all_routers(group);
	add(&groups, group);
	for (uint16_t i = 0; i < router->interface_count && !groups.are_all; i++)
		if (*interface_name(router, i) && router->settings[i].parent == port)
			add_interface(&groups, router, i);
	port_set_groups(port, groups.at, groups.are_all ? 0 : groups.count);
}
