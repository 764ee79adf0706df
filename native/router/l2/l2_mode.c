/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces that do not route: cross-connected, or members of a bridge domain. */
#include "router/interface/interface_change.h"
#include "router/l2/l2.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_settings.h"
#include "router/interface/vlan.h"
#include "wire/word_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_mode(struct ws_router *router, uint16_t index, enum ws_interface_mode mode)
{
	struct interface *interface = &router->interfaces[index];
	uint16_t *bridging = &router->settings[router->settings[index].parent].bridging;
	*bridging += (mode != WS_MODE_L3) - (interface->mode != WS_MODE_L3);
	__atomic_store_n(&interface->mode, (uint8_t)mode, __ATOMIC_RELEASE);
	router_publish_mac(interface);
	interface_update_promiscuous(router, index);
}

void l2_update_plain(struct ws_router *router, uint16_t index)
{
	struct l2_interface *l2 = &l2_table(router)->interfaces[index];
	bool changes_in = l2->domain || l2->in.pop || l2->in.push;
	bool changes_out = l2->shg || l2->out.pop || l2->out.push;
	uint16_t output = router->interfaces[index].output;
	__atomic_store_n(&l2->plain_to, changes_in ? L2_NOWHERE : l2->xconnect_to, __ATOMIC_RELAXED);
	__atomic_store_n(&l2->plain_output, changes_out ? L2_NOWHERE : output, __ATOMIC_RELAXED);
}

static struct l2_members *members_with(const struct l2_members *members, struct l2_member member)
{
	struct l2_members *made =
		malloc(sizeof(*made) + (members->count + 1u) * sizeof(members->at[0]));
	if (!made) {
		fail(-ENOMEM, "no memory for a member of a bridge domain");
		return NULL;
	}
	memcpy(made->at, members->at, members->count * sizeof(members->at[0]));
	made->at[members->count] = member;
	made->count = members->count + 1;
	return made;
}

/* In place in a pause, so that it cannot fail. */
static void remove_member(struct ws_router *router, struct l2_members *members, uint16_t index)
{
	uint16_t kept = 0;
	router_pause(router);
	for (uint16_t i = 0; i < members->count; i++)
		if (members->at[i].interface != index)
			members->at[kept++] = members->at[i];
	members->count = kept;
	router_resume(router);
}

static bool is_of_interface(uint64_t key, uint64_t value, const void *argument)
{
	(void)key;
	return l2fib_interface(value) == *(const uint16_t *)argument &&
		   !(l2fib_flags(value) & L2FIB_FILTER);
}

static void leave_domain(struct ws_router *router, uint16_t index)
{
	struct l2_interface *l2 = &l2_table(router)->interfaces[index];
	struct l2_domain *domain = &l2_table(router)->domains[l2->domain];
	if (l2->domain == L2_NO_DOMAIN)
		return;
	remove_member(router, domain->members, index);
	if (domain->bvi == index)
		__atomic_store_n(&domain->bvi, L2_NOWHERE, __ATOMIC_RELEASE);
	__atomic_store_n(&l2->is_bvi, false, __ATOMIC_RELAXED);
	__atomic_store_n(&router->interfaces[index].is_bvi, false, __ATOMIC_RELAXED);
	__atomic_store_n(&l2->domain, L2_NO_DOMAIN, __ATOMIC_RELAXED);
	__atomic_store_n(&l2->shg, 0, __ATOMIC_RELAXED);
	router->settings[index].bridge_domain = router->settings[index].split_horizon_group = 0;
	l2fib_remove(l2_table(router)->fib, is_of_interface, &index);
}

static void set_xconnect(struct ws_router *router, uint16_t index, uint16_t to)
{
	uint16_t *before = &l2_table(router)->interfaces[index].xconnect_to;
	if (*before != L2_NOWHERE)
		l2_table(router)->crossed_to[*before]--;
	if (to != L2_NOWHERE)
		l2_table(router)->crossed_to[to]++;
	__atomic_store_n(before, to, __ATOMIC_RELAXED);
	router->settings[index].xconnect_to = to == L2_NOWHERE ? 0 : to;
}

static void leave_mode(struct ws_router *router, uint16_t index)
{
	struct l2_interface *l2 = &l2_table(router)->interfaces[index];
	if (router->interfaces[index].mode == WS_MODE_L3 && l2->domain == L2_NO_DOMAIN &&
		l2->xconnect_to == L2_NOWHERE)
		return;
	set_mode(router, index, WS_MODE_L3);
	rcu_synchronize();
	leave_domain(router, index);
	set_xconnect(router, index, L2_NOWHERE);
	l2_update_plain(router, index);
}

/* Leave cross-connect and bridge domain, and delete the tag rewrite. */
static void leave(struct ws_router *router, uint16_t index)
{
	leave_mode(router, index);
	const struct l2_interface none = {.xconnect_to = L2_NOWHERE};
	word_copy(&l2_table(router)->interfaces[index], &none, sizeof(none));
	l2_update_plain(router, index);
}

int ws_router_set_l3(struct ws_router *router, uint16_t index)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	leave_mode(router, index);
	return 0;
}

static int check_not_loopback(const struct ws_router *router, uint16_t index)
{
	return router->settings[index].kind == WS_INTERFACE_LOOPBACK
			   ? fail(-EINVAL, "%s is a loopback: it may be a bridge domain's BVI, no more",
					  interface_name(router, index))
			   : 0;
}

int ws_router_set_xconnect(struct ws_router *router, uint16_t index, uint16_t to)
{
	if (router_check_interface(router, index) || router_check_interface(router, to))
		return -ENODEV;
	if (index == to)
		return fail(-EINVAL, "interface %s cannot be connected to itself; name another",
					interface_name(router, index));
	if (check_not_loopback(router, index) || check_not_loopback(router, to) ||
		interface_check_free(router, index) || interface_check_free(router, to))
		return -EINVAL;
	if (l2_table(router)->interfaces[index].domain)
		leave_mode(router, index);
	set_xconnect(router, index, to);
	l2_update_plain(router, index);
	l2_update_plain(router, to);
	set_mode(router, index, WS_MODE_XCONNECT);
	return 0;
}

static int check_bvi(const struct ws_router *router, uint16_t index, uint32_t id, bool bvi)
{
	int domain = l2_find_domain(router, id);
	uint16_t there = domain ? l2_table(router)->domains[domain].bvi : L2_NOWHERE;
	if (!bvi)
		return check_not_loopback(router, index);
	if (router->settings[index].kind != WS_INTERFACE_LOOPBACK)
		return fail(-EINVAL, "%s is not a loopback; only those can be a BVI",
					interface_name(router, index));
	return there == L2_NOWHERE || there == index
			   ? 0
			   : fail(-EEXIST, "bridge domain %u already has BVI %s; remove it first", id,
					  interface_name(router, there));
}

static int join(struct ws_router *router, uint16_t index, uint16_t domain_index, bool bvi,
				uint8_t shg)
{
	struct l2_domain *domain = &l2_table(router)->domains[domain_index];
	struct l2_interface *l2 = &l2_table(router)->interfaces[index];
	struct l2_members *members = members_with(domain->members, (struct l2_member){index, shg, bvi});
	int error = members ? 0 : -ENOMEM;
	if (!error && bvi)
		error = l2_add_own_address(router, index, domain_index);
	if (error) {
		free(members);
		return error;
	}
	__atomic_store_n(&l2->domain, domain_index, __ATOMIC_RELAXED);
	__atomic_store_n(&l2->shg, shg, __ATOMIC_RELAXED);
	__atomic_store_n(&l2->is_bvi, bvi, __ATOMIC_RELEASE);
	__atomic_store_n(&router->interfaces[index].is_bvi, bvi, __ATOMIC_RELEASE);
	router->settings[index].bridge_domain = domain->id;
	router->settings[index].split_horizon_group = shg;
	l2_update_plain(router, index);
	l2_publish_members(domain, members);
	if (bvi)
		__atomic_store_n(&domain->bvi, index, __ATOMIC_RELEASE);
	else
		set_mode(router, index, WS_MODE_BRIDGE);
	return 0;
}

int ws_router_set_bridge(struct ws_router *router, uint16_t index, uint32_t id, bool bvi,
						 uint8_t shg)
{
	int error = router_check_interface(router, index);
	if (!error)
		error = check_bvi(router, index, id, bvi);
	if (!error)
		error = interface_check_free(router, index);
	int domain = error ? error : l2_take_domain(router, id);
	if (domain < 0)
		return domain;
	leave_mode(router, index);
	return join(router, index, (uint16_t)domain, bvi, shg);
}

/* Interfaces that are cross-connected to a deleted one route again. */
static void end_xconnects_to(struct ws_router *router, uint16_t index)
{
	for (uint16_t i = 0; l2_table(router)->crossed_to[index] && i < router->interface_count; i++)
		if (l2_table(router)->interfaces[i].xconnect_to == index)
			leave_mode(router, i);
}

static int watch_l2(struct ws_router *router, uint16_t index, enum interface_change change)
{
	struct l2_interface *l2 = &l2_table(router)->interfaces[index];
	if (change == INTERFACE_MADE)
		__atomic_store_n(&l2->plain_output, router->interfaces[index].output, __ATOMIC_RELAXED);
	if (change == INTERFACE_MADE || change == INTERFACE_MTU_CHANGED)
		__atomic_store_n(&l2->longest, interface_carries(router, index) + ETHERNET_LEN,
						 __ATOMIC_RELAXED);
	if (change == INTERFACE_LEAVES) {
		end_xconnects_to(router, index);
		leave(router, index);
	}
	return 0;
}
INTERFACE_WATCH(watch_l2)
