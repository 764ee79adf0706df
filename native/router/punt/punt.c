/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of punt policers. Main thread. */
#include "router/punt/punt.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "wirespeed/punt.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_BURST = 1000000 };

static int check(const struct ws_router *router, int32_t interface, uint32_t reason)
{
	if (reason >= WS_PUNT_REASONS)
		return fail(-EINVAL, "punt reason %u does not exist", reason);
	if (interface == WS_PUNT_ALL_INTERFACES)
		return 0;
	if (interface < 0 || interface > UINT16_MAX)
		return fail(-ENODEV, "there is no interface %d; show interface lists them", interface);
	return router_check_interface(router, (uint16_t)interface);
}

/* NULL, with an error text, if memory is short. */
static struct punt_policer *make_policer(const struct ws_router *router, uint32_t rate_pps,
										 uint32_t burst)
{
	size_t size = sizeof(struct punt_policer) + router->worker_count * sizeof(struct punt_bucket);
	struct punt_policer *made = aligned_alloc(64, (size + 63) & ~(size_t)63);
	if (!made) {
		fail(-ENOMEM, "no memory for a punt policer");
		return NULL;
	}
	*made = (struct punt_policer){.rate_pps = rate_pps, .burst = burst};
	uint64_t ticks = RTE_MAX(router->tsc_hz / rate_pps, 1u);
	for (uint16_t i = 0; i < router->worker_count; i++)
		made->of[i] = (struct punt_bucket){
			.tokens = {.ticks_per_token = ticks, .capacity_ticks = ticks * burst},
		};
	return made;
}

/* The policers of an interface, created if necessary; NULL if memory is short. */
static struct punt_policers *take_place(struct ws_router *router, int32_t interface)
{
	struct punt *punt = punt_of(router);
	if (!punt) {
		punt = calloc(1, sizeof(*punt));
		module_set_state(router, &punt_module, punt);
	}
	if (!punt)
		return NULL;
	if (interface == WS_PUNT_ALL_INTERFACES)
		return &punt->all;
	if (!punt->of[interface]) {
		struct punt_policers *made = calloc(1, sizeof(*made));
		__atomic_store_n(&punt->of[interface], made, __ATOMIC_RELEASE);
	}
	return punt->of[interface];
}

static struct punt_policers *find_place(const struct ws_router *router, int32_t interface)
{
	struct punt *punt = punt_of(router);
	if (!punt)
		return NULL;
	return interface == WS_PUNT_ALL_INTERFACES ? &punt->all : punt->of[interface];
}

static void replace(struct punt_policer **place, struct punt_policer *policer)
{
	struct punt_policer *old = *place;
	__atomic_store_n(place, policer, __ATOMIC_RELEASE);
	if (old)
		rcu_synchronize();
	free(old);
}

int ws_router_set_punt_policer(struct ws_router *router, int32_t interface, uint32_t reason,
							   uint32_t rate_pps, uint32_t burst)
{
	int error = check(router, interface, reason);
	if (!error && rate_pps && (!burst || burst > MOST_BURST))
		error = fail(-EINVAL, "a punt policer takes a burst of 1 to %d packets, not %u", MOST_BURST,
					 burst);
	if (error)
		return error;
	struct punt_policers *place = find_place(router, interface);
	if (!rate_pps) {
		if (place)
			replace(&place->at[reason], NULL);
		return 0;
	}
	struct punt_policer *made = make_policer(router, rate_pps, burst);
	if (!made)
		return -ENOMEM;
	place = take_place(router, interface);
	if (!place) {
		free(made);
		return fail(-ENOMEM, "no memory for a punt policer");
	}
	replace(&place->at[reason], made);
	return 0;
}

int ws_router_punt_policer(struct ws_router *router, int32_t interface, uint32_t reason,
						   struct ws_punt_policer *out)
{
	int error = check(router, interface, reason);
	if (error)
		return error;
	const struct punt_policers *place = find_place(router, interface);
	const struct punt_policer *policer = place ? place->at[reason] : NULL;
	if (!policer)
		return 0;
	*out = (struct ws_punt_policer){.rate_pps = policer->rate_pps, .burst = policer->burst};
	for (uint16_t i = 0; i < router->worker_count; i++) {
		out->passed += own_count_read(&policer->of[i].passed);
		out->dropped += own_count_read(&policer->of[i].dropped);
	}
	return 1;
}

static void free_policers(struct punt_policers *policers)
{
	for (int reason = 0; policers && reason < WS_PUNT_REASONS; reason++)
		free(policers->at[reason]);
}

static void free_interface(struct punt *punt, uint16_t index)
{
	free_policers(punt->of[index]);
	free(punt->of[index]);
}

static void punt_free(struct ws_router *router)
{
	struct punt *punt = punt_of(router);
	if (!punt)
		return;
	free_policers(&punt->all);
	for (uint32_t i = 0; i < WS_MAX_INTERFACES; i++)
		free_interface(punt, (uint16_t)i);
}

static int watch_punts(struct ws_router *router, uint16_t index, enum interface_change change)
{
	struct punt *punt = punt_of(router);
	struct punt_policers *own = punt ? punt->of[index] : NULL;
	if (change != INTERFACE_LEAVES || !own)
		return 0;
	__atomic_store_n(&punt->of[index], NULL, __ATOMIC_RELEASE);
	rcu_synchronize();
	free_policers(own);
	free(own);
	return 0;
}
INTERFACE_WATCH(watch_punts)

ROUTER_MODULE_EXTERN(punt_module, .name = "punt", .free = punt_free)
