/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface/source_address.h"

#include "router/interface/ip6_interface.h"
#include "wire/address.h"
#include "wire/ip6.h"

/* NULL if the interface has no address of the destination's family. */
static const struct ws_address *choose(const struct ws_router *router, uint16_t interface,
									   const struct ws_address *destination)
{
	const struct address_list *list =
		__atomic_load_n(&router->interfaces[interface].addresses, __ATOMIC_ACQUIRE);
	const struct ws_address *first = NULL;
	for (uint16_t i = 0; i < list->count; i++) {
		if (list->at[i].address.family != destination->family)
			continue;
		if (prefix_covers(&list->at[i], destination))
			return &list->at[i].address;
		first = first ? first : &list->at[i].address;
	}
	return first;
}

uint32_t ip4_source_address(const struct ws_router *router, uint16_t interface,
							uint32_t destination)
{
	const struct ws_address whole = address_of_ip4(destination);
	const struct ws_address *chosen = choose(router, interface, &whole);
	return chosen ? address_ip4(chosen) : 0;
}

bool ip6_source_address(const struct ws_router *router, uint16_t interface,
						const uint8_t *destination, uint8_t *source)
{
	const struct ip6_interface *enabled = ip6_interface(router, interface);
	const struct ws_address whole = address_of_ip6(destination);
	bool is_near = ip6_is_link_local(destination) || ip6_is_multicast(destination);
	if (!enabled)
		return false;
	const struct ws_address *chosen = is_near ? NULL : choose(router, interface, &whole);
	if (!chosen && enabled->is_tentative)
		return false;
	memcpy(source, chosen ? chosen->bytes : enabled->link_local, IP6_ADDRESS_LEN);
	return true;
}
