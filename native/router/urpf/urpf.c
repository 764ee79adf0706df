/* SPDX-License-Identifier: Apache-2.0 */
#include "router/urpf/urpf.h"

#include "dev/error.h"
#include "router/interface/interface_change.h"

#include <errno.h>
#include <stdlib.h>

static const char *const nodes[FAMILIES] = {"ip4-rx-urpf", "ip6-rx-urpf"};

static bool is_any_on(const struct ws_router *router, int family)
{
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (router->urpf->modes[family][i])
			return true;
	return false;
}

/* Made when first it is spoken of; it is there before a graph has the node that looks for it. */
static int take_room(struct ws_router *router)
{
	struct urpf *made = router->urpf ? NULL : calloc(1, sizeof(*made));
	if (!router->urpf && !made)
		return fail(-ENOMEM, "no memory for unicast RPF");
	if (made)
		__atomic_store_n(&router->urpf, made, __ATOMIC_RELEASE);
	return 0;
}

static int set_mode(struct ws_router *router, uint16_t index, int family, uint8_t mode)
{
	uint8_t *place = &router->urpf->modes[family][index], before = *place;
	__atomic_store_n(place, mode, __ATOMIC_RELAXED);
	int error = features_set(router, nodes[family], NO_PORT, is_any_on(router, family));
	if (error)
		__atomic_store_n(place, before, __ATOMIC_RELAXED);
	return error;
}

int ws_router_set_urpf(struct ws_router *router, uint16_t index, uint8_t family, int32_t mode)
{
	int error = router_check_interface(router, index);
	if (!error && (mode < WS_URPF_OFF || mode > WS_URPF_STRICT))
		error = fail(-EINVAL, "%d is no mode of unicast RPF", mode);
	if (error || (!mode && !router->urpf))
		return error;
	error = take_room(router);
	return error ? error : set_mode(router, index, family_index(family), (uint8_t)mode);
}

int ws_router_urpf(struct ws_router *router, uint16_t index, uint8_t family)
{
	int error = router_check_interface(router, index);
	if (error)
		return error;
	return router->urpf ? router->urpf->modes[family_index(family)][index] : WS_URPF_OFF;
}

void urpf_free(struct ws_router *router)
{
	free(router->urpf);
}

static int watch_urpf(struct ws_router *router, uint16_t index, enum interface_change change,
					  const uint8_t *old_mac)
{
	int error = 0;
	(void)old_mac;
	if (change != INTERFACE_LEAVES || !router->urpf)
		return 0;
	for (int family = 0; family < FAMILIES && !error; family++)
		if (router->urpf->modes[family][index])
			error = set_mode(router, index, family, WS_URPF_OFF);
	return error;
}
INTERFACE_WATCH(watch_urpf)
