/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of an address. */
#include "router/interface/address_index.h"
#include "router/router.h"
#include "wire/address.h"

int router_connected_interface(const struct ws_router *router, const struct fib_table *table,
							   const struct ws_address *address)
{
	const struct indexed_address *found;
	uint32_t place = 0;
	while ((found = address_index_over(&router->address_index, table->index, address, &place)))
		if (found->prefix.length < address_bits(address->family))
			return found->interface;
	return -1;
}

bool router_is_local_address(const struct ws_router *router, const struct fib_table *table,
							 const struct ws_address *address)
{
	const struct indexed_address *found;
	uint32_t place = 0;
	while ((found = address_index_over(&router->address_index, table->index, address, &place)))
		if (address_equal(&found->prefix.address, address))
			return true;
	return false;
}
