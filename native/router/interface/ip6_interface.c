/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface/ip6_interface.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_groups.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_settings.h"
#include "router/interface/ip6_settings.h"
#include "router/module.h"

#include <errno.h>
#include <stdlib.h>

static struct router_module ip6_module;

static const struct address_list *addresses_of(const struct ws_router *router, uint16_t index)
{
	return __atomic_load_n(&router->interfaces[index].addresses, __ATOMIC_ACQUIRE);
}

static bool has_between(const struct address_list *list, uint16_t from, uint16_t end,
						const uint8_t *address)
{
	for (uint16_t i = from; i < end; i++)
		if (list->at[i].address.family == WS_IP6 &&
			ip6_is_equal(list->at[i].address.bytes, address))
			return true;
	return false;
}

bool ip6_is_own(const struct ws_router *router, uint16_t index, const uint8_t *address)
{
	const struct ip6_interface *interface = ip6_interface(router, index);
	const struct address_list *list = addresses_of(router, index);
	if (interface && !interface->is_tentative && ip6_is_equal(interface->link_local, address))
		return true;
	return has_between(list, 0, list->count, address);
}

bool ip6_is_tentative(const struct ws_router *router, uint16_t index, const uint8_t *address)
{
	const struct ip6_interface *interface = ip6_interface(router, index);
	const struct address_list *list = addresses_of(router, index);
	if (interface && interface->is_tentative && ip6_is_equal(interface->link_local, address))
		return true;
	return has_between(list, list->count, list->given, address);
}

bool ip6_is_on_link(const struct ws_router *router, uint16_t index, const uint8_t *address)
{
	const struct address_list *list = addresses_of(router, index);
	struct ws_address whole = address_of_ip6(address);
	if (ip6_is_link_local(address))
		return true;
	for (uint16_t i = 0; i < list->count; i++)
		if (list->at[i].length < 128 && prefix_covers(&list->at[i], &whole))
			return true;
	return false;
}

static bool is_solicited(const uint8_t *group, const uint8_t *address)
{
	uint8_t solicited[IP6_ADDRESS_LEN];
	ip6_solicited_node(solicited, address);
	return ip6_is_equal(group, solicited);
}

bool ip6_is_joined(const struct ws_router *router, uint16_t index, const uint8_t *group)
{
	const struct ip6_interface *interface = ip6_interface(router, index);
	const struct address_list *list = addresses_of(router, index);
	uint8_t nodes[IP6_ADDRESS_LEN], routers[IP6_ADDRESS_LEN];
	ip6_all_nodes(nodes);
	ip6_all_routers(routers);
	if (!interface)
		return false;
	if (ip6_is_equal(group, nodes) || ip6_is_equal(group, routers) ||
		is_solicited(group, interface->link_local))
		return true;
	for (uint16_t i = 0; i < list->given; i++)
		if (list->at[i].address.family == WS_IP6 && is_solicited(group, list->at[i].address.bytes))
			return true;
	return false;
}

/* ---- Main thread ---- */

static bool has_address(const struct address_list *list)
{
	for (uint16_t i = 0; i < list->given; i++)
		if (list->at[i].address.family == WS_IP6)
			return true;
	return false;
}

bool ip6_wants_dad(const struct ws_router *router, uint16_t index)
{
	bool has_link =
		router->settings[index].kind != WS_INTERFACE_LOOPBACK || router->interfaces[index].is_bvi;
	return ip6_settings(router, index)->dad_transmits && has_link &&
		   !interface_is_paired(&router->interfaces[index]);
}

/* True if the link-local address has passed duplicate address detection. */
static bool is_checked(const struct ws_router *router, uint16_t index,
					   const struct ip6_interface *made)
{
	const struct ip6_interface *before = router->ip6[index];
	return ip6_settings(router, index)->has_checked && before &&
		   ip6_is_equal(before->link_local, made->link_local);
}

/* IPv6 state for workers; NULL if it has none, or with `error` if memory is short. */
static struct ip6_interface *make_interface(const struct ws_router *router, uint16_t index,
											int *error)
{
	const struct ip6_settings *settings = ip6_settings(router, index);
	if (!settings->enabled && !has_address(router->interfaces[index].addresses))
		return NULL;
	struct ip6_interface *made = calloc(1, sizeof(*made));
	if (!made)
		*error = fail(-ENOMEM, "no memory for IPv6 on an interface");
	else if (settings->link_local.family)
		memcpy(made->link_local, settings->link_local.bytes, sizeof(made->link_local));
	else
		ip6_link_local(made->link_local, router->interfaces[index].mac);
	if (made)
		made->is_tentative = ip6_wants_dad(router, index) && !is_checked(router, index, made);
	return made;
}

int router_update_ip6(struct ws_router *router, uint16_t index)
{
	int error = 0;
	struct ip6_interface *interface = make_interface(router, index, &error);
	struct ip6_interface *old = router->ip6[index];
	if (error)
		return error;
	bool is_new = interface && (!old || !ip6_is_equal(old->link_local, interface->link_local));
	if (is_new || !interface)
		ip6_settings(router, index)->has_checked = false;
	__atomic_store_n(&router->ip6[index], interface, __ATOMIC_RELEASE);
	if (old && !interface)
		interface_changed(router, index, INTERFACE_LOST_IP6);
	router_update_groups(router, index);
	rcu_synchronize();
	free(old);
	return is_new ? interface_changed(router, index, INTERFACE_GOT_IP6) : 0;
}

int ws_router_ip6(struct ws_router *router, uint16_t index, struct ws_ip6_interface *out)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct ip6_interface *interface = router->ip6[index];
	*out = (struct ws_ip6_interface){
		.enabled = interface,
		.advertising = ip6_settings(router, index)->advertising,
	};
	if (interface)
		out->link_local = address_of_ip6(interface->link_local);
	return 0;
}

int ws_router_set_ip6(struct ws_router *router, uint16_t index, bool enabled)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	if (enabled && interface_check_free(router, index))
		return -EINVAL;
	ip6_settings(router, index)->enabled = enabled;
	return router_update_ip6(router, index);
}

int ws_router_set_link_local(struct ws_router *router, uint16_t index, struct ws_address address)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	if (address.family && !address_is_link_local(&address))
		return fail(-EINVAL, "%s is not a link-local address; give one of fe80::/10",
					ADDRESS_TEXT(&address));
	if (address.family && interface_check_free(router, index))
		return -EINVAL;
	ip6_settings(router, index)->link_local = address;
	ip6_settings(router, index)->enabled |= address.family;
	return router_update_ip6(router, index);
}

struct ip6_settings *ip6_settings(const struct ws_router *router, uint16_t index)
{
	return (struct ip6_settings *)module_state(router, &ip6_module) + index;
}

static void ip6_free(struct ws_router *router)
{
	for (int i = 0; i < WS_MAX_INTERFACES; i++)
		free(router->ip6[i]);
}

ROUTER_MODULE(ip6_module, .name = "ip6", .is_trunk = true,
			  .state_size = WS_MAX_INTERFACES * sizeof(struct ip6_settings), .free = ip6_free)
