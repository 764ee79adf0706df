/* SPDX-License-Identifier: Apache-2.0 */
#include "router/connected.h"

#include "wire/ip4.h"

int connected_find(const struct connected_route *routes, uint32_t count,
				   struct ws_ip4_prefix prefix)
{
	for (uint32_t i = 0; i < count; i++)
		if (routes[i].prefix.address == prefix.address && routes[i].prefix.length == prefix.length)
			return (int)i;
	return -1;
}

static uint32_t add(struct connected_route *out, uint32_t count, uint32_t address, uint8_t length,
					enum ws_path_kind kind)
{
	struct ws_ip4_prefix prefix = {.address = address, .length = length};
	if (connected_find(out, count, prefix) < 0)
		out[count++] = (struct connected_route){prefix, kind};
	return count;
}

uint32_t connected_routes(const struct address_list *addresses, struct connected_route *out)
{
	uint32_t count = 0;
	for (uint16_t i = 0; i < addresses->count; i++)
		count = add(out, count, addresses->at[i].address, 32, WS_PATH_LOCAL);
	for (uint16_t i = 0; i < addresses->count; i++) {
		const struct ws_ip4_prefix *own = &addresses->at[i];
		uint32_t mask = ip4_mask(own->length), network = own->address & mask;
		if (own->length < 32)
			count = add(out, count, network, own->length, WS_PATH_ATTACHED);
		if (own->length < 31) {
			count = add(out, count, network, 32, WS_PATH_DROP);
			count = add(out, count, network | ~mask, 32, WS_PATH_DROP);
		}
	}
	return count;
}
