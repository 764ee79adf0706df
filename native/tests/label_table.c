/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/label_table.h"
#include "wirespeed/mpls.h"

#include <errno.h>
#include <stddef.h>

struct ws_mpls_route label_table[LABEL_TABLE_MOST];
uint32_t label_table_count;
bool label_table_is_there;

struct ws_mpls_route *label_table_find(uint32_t label, bool bottom)
{
	for (uint32_t i = 0; i < label_table_count; i++)
		if (label_table[i].label == label && label_table[i].bottom == bottom)
			return &label_table[i];
	return NULL;
}

void label_table_reset(void)
{
	label_table_count = 0;
	label_table_is_there = false;
}

int ws_router_has_mpls_table(struct ws_router *router)
{
	(void)router;
	return label_table_is_there;
}

int ws_router_mpls_table_add(struct ws_router *router)
{
	(void)router;
	label_table_is_there = true;
	return 0;
}

int ws_router_mpls_route_set(struct ws_router *router, const struct ws_mpls_route *route)
{
	(void)router;
	struct ws_mpls_route *place = label_table_find(route->label, route->bottom);
	if (route->label < 16 || !label_table_is_there)
		return -EINVAL;
	if (!place)
		place = &label_table[label_table_count++];
	*place = *route;
	return 0;
}

int ws_router_mpls_route_del(struct ws_router *router, uint32_t label, bool bottom)
{
	(void)router;
	struct ws_mpls_route *place = label_table_find(label, bottom);
	if (!place)
		return -ENOENT;
	*place = label_table[--label_table_count];
	return 0;
}

int ws_router_mpls_route_get(struct ws_router *router, uint32_t label, bool bottom,
							 struct ws_mpls_route *out)
{
	(void)router;
	const struct ws_mpls_route *place = label_table_find(label, bottom);
	if (!place)
		return -ENOENT;
	*out = *place;
	return 0;
}
