/* SPDX-License-Identifier: Apache-2.0 */
/* Which interface an address belongs to. */
#include "router/router.h"
#include "wire/address.h"

int router_connected_interface(const struct ws_router *router, const struct fib_table *table,
							   const struct ws_address *address)
{
	int best = -1, best_length = 0;
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->settings[i].addresses;
		if (router_interface_table(router, i, address->family) != table)
			continue;
		for (uint16_t a = 0; a < list->count; a++) {
			uint8_t length = list->at[a].length;
			if (length < address_bits(address->family) && length > best_length &&
				prefix_covers(&list->at[a], address)) {
				best = i;
				best_length = length;
			}
		}
	}
	return best;
}

bool router_is_own_address(const struct ws_router *router, const struct fib_table *table,
						   const struct ws_address *address)
{
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->settings[i].addresses;
		if (router_interface_table(router, i, address->family) != table)
			continue;
		for (uint16_t a = 0; a < list->count; a++)
			if (address_equal(&list->at[a].address, address))
				return true;
	}
	return false;
}
