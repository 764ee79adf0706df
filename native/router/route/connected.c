/* SPDX-License-Identifier: Apache-2.0 */
#include "router/route/connected.h"

#include "wire/address.h"

int connected_find(const struct connected_route *routes, uint32_t count,
				   const struct ws_prefix *prefix)
{
	for (uint32_t i = 0; i < count; i++)
		if (prefix_equal(&routes[i].prefix, prefix))
			return (int)i;
	return -1;
}

static uint32_t add_connected(struct connected_route *out, uint32_t count, struct ws_prefix prefix,
							  enum ws_path_kind kind)
{
	if (connected_find(out, count, &prefix) < 0)
		out[count++] = (struct connected_route){prefix, kind};
	return count;
}

/* The first or last address of the prefix. */
static struct ws_prefix edge(struct ws_prefix prefix, bool last)
{
	prefix_fill(&prefix, last);
	return prefix_of_host(prefix.address);
}

uint32_t connected_routes(const struct address_list *addresses, struct connected_route *out)
{
	uint32_t count = 0;
	for (uint16_t i = 0; i < addresses->count; i++)
		count = add_connected(out, count, prefix_of_host(addresses->at[i].address), WS_PATH_LOCAL);
	for (uint16_t i = 0; i < addresses->count; i++) {
		struct ws_prefix own = addresses->at[i];
		if (own.length < address_bits(own.address.family))
			count = add_connected(out, count, prefix_network(own), WS_PATH_ATTACHED);
		if (own.address.family == WS_IP4 && own.length < 31) {
			count = add_connected(out, count, edge(own, false), WS_PATH_DROP);
			count = add_connected(out, count, edge(own, true), WS_PATH_DROP);
		}
	}
	return count;
}
