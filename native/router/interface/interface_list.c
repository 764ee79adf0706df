/* SPDX-License-Identifier: Apache-2.0 */
/* The interfaces in the order in which users see them. */

#include "router/interface/interface_settings.h"

#include <stdlib.h>
#include <string.h>

/* Ports followed by their sub-interfaces, then the rest. */
static int compare_places(const struct ws_router *router, uint16_t a, uint16_t b)
{
	const struct interface_settings *left = &router->settings[a], *right = &router->settings[b];
	if (left->parent != right->parent)
		return left->parent < right->parent ? -1 : 1;
	bool left_is_sub = left->kind == WS_INTERFACE_SUB,
		 right_is_sub = right->kind == WS_INTERFACE_SUB;
	if (left_is_sub != right_is_sub)
		return left_is_sub ? 1 : -1;
	return left->sub.id < right->sub.id ? -1 : 1;
}

static int compare_by_place(const void *a, const void *b, void *router)
{
	return compare_places(router, *(const uint16_t *)a, *(const uint16_t *)b);
}

int ws_router_interfaces(struct ws_router *router, struct ws_interface_name *out, uint32_t max)
{
	uint16_t order[WS_MAX_INTERFACES], count = 0;
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (*interface_name(router, i))
			order[count++] = i;
	qsort_r(order, count, sizeof(*order), compare_by_place, router);
	for (uint16_t i = 0; i < count && i < max; i++) {
		out[i].index = order[i];
		memcpy(out[i].name, interface_name(router, order[i]), sizeof(out[i].name));
	}
	return count;
}
