/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in bridge domains: adding, deleting, listing and aging. */
#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "router/l2/l2.h"
#include "wire/ethernet.h"
#include "wirespeed/bridges.h"

#include <errno.h>

static bool is_key(uint64_t key, uint64_t value, const void *argument)
{
	(void)value;
	return key == *(const uint64_t *)argument;
}

int l2_add_own_address(struct ws_router *router, uint16_t index, uint16_t domain)
{
	const uint8_t *mac = router->interfaces[index].mac;
	return l2fib_set(l2_table(router)->fib, l2fib_key(ethernet_address_number(mac), domain),
					 l2fib_value(index, L2FIB_VALID | L2FIB_STATIC, 0));
}

static int watch_mac(struct ws_router *router, uint16_t index, enum interface_change change)
{
	uint16_t domain = l2_table(router)->interfaces[index].domain;
	if (!l2_table(router)->interfaces[index].is_bvi)
		return 0;
	if (change == INTERFACE_MAC_CHANGES) {
		uint64_t key = l2fib_key(ethernet_address_number(router->interfaces[index].mac), domain);
		l2fib_remove(l2_table(router)->fib, is_key, &key);
	}
	return change == INTERFACE_MAC_CHANGED ? l2_add_own_address(router, index, domain) : 0;
}
INTERFACE_WATCH(watch_mac)

int ws_router_l2fib_add(struct ws_router *router, const struct ws_l2fib_entry *entry)
{
	uint16_t domain = l2_find_domain(router, entry->domain);
	uint8_t flags = L2FIB_VALID | L2FIB_STATIC;
	if (!domain)
		return fail(-ENOENT, "there is no bridge domain %u; show bridge-domain lists them",
					entry->domain);
	if (ethernet_is_group(entry->mac) || ethernet_is_zero(entry->mac))
		return fail(-EINVAL,
					"the MAC address of an entry is multicast or zero; give a unicast one");
	if (entry->interface < 0)
		flags |= L2FIB_FILTER;
	else if (router_check_interface(router, (uint16_t)entry->interface))
		return -ENODEV;
	else if (l2_table(router)->interfaces[entry->interface].domain != domain)
		return fail(-EINVAL, "%s is not in bridge domain %u; add it first",
					interface_name(router, (uint16_t)entry->interface), entry->domain);
	uint16_t interface = entry->interface < 0 ? L2_NOWHERE : (uint16_t)entry->interface;
	return l2fib_set(l2_table(router)->fib, l2fib_key(ethernet_address_number(entry->mac), domain),
					 l2fib_value(interface, flags, 0));
}

int ws_router_l2fib_del(struct ws_router *router, const uint8_t *mac, uint32_t id)
{
	uint16_t domain = l2_find_domain(router, id);
	uint64_t key = l2fib_key(ethernet_address_number(mac), domain);
	if (!domain)
		return fail(-ENOENT, "there is no bridge domain %u; show bridge-domain lists them", id);
	if (!l2fib_remove(l2_table(router)->fib, is_key, &key))
		return fail(-ENOENT, "bridge domain %u has no such address; show l2fib all lists them", id);
	return 0;
}

static bool is_learnt(uint64_t key, uint64_t value, const void *argument)
{
	(void)key;
	(void)argument;
	return !(l2fib_flags(value) & L2FIB_STATIC);
}

void ws_router_l2fib_flush(struct ws_router *router)
{
	if (l2_table(router)->fib)
		l2fib_remove(l2_table(router)->fib, is_learnt, NULL);
}

struct age {
	const struct l2_table *l2;
	uint32_t second;
};

static bool is_old(uint64_t key, uint64_t value, const void *argument)
{
	const struct age *age = argument;
	int32_t most_s = age->l2->domains[(uint16_t)key].age_min * 60;
	/* A worker may have received a frame from it in the second after this one. */
	int32_t age_s = (int32_t)(age->second - l2fib_second(value));
	return most_s && !(l2fib_flags(value) & L2FIB_STATIC) && age_s > most_s;
}

/* Remove addresses that were silent for as long as their domain allows. */
static void l2_age(struct ws_router *router)
{
	struct l2_table *l2 = l2_table(router);
	uint64_t now = graph_tsc();
	struct age age = {l2, l2_second(now, router->tsc_hz)};
	if (!l2->fib || now < l2->next_age_tsc)
		return;
	l2->next_age_tsc = now + router->tsc_hz;
	for (int i = L2_NO_DOMAIN + 1; i < L2_MAX_DOMAINS; i++)
		if (l2->domains[i].members && l2->domains[i].age_min) {
			l2fib_remove(l2->fib, is_old, &age);
			return;
		}
}

int ws_router_l2fib(struct ws_router *router, uint32_t *cursor, struct ws_l2fib_entry *out,
					uint32_t max)
{
	const struct l2_table *l2 = l2_table(router);
	uint32_t second = l2_second(graph_tsc(), router->tsc_hz), count = 0;
	for (; l2->fib && *cursor < L2FIB_SIZE && count < max; ++*cursor) {
		uint64_t key = __atomic_load_n(&l2->fib->entries[*cursor].key, __ATOMIC_ACQUIRE);
		uint64_t value = __atomic_load_n(&l2->fib->entries[*cursor].value, __ATOMIC_ACQUIRE);
		uint8_t flags = l2fib_flags(value);
		if (!key || !(flags & L2FIB_VALID))
			continue;
		struct ws_l2fib_entry *entry = &out[count++];
		*entry = (struct ws_l2fib_entry){
			.domain = l2->domains[(uint16_t)key].id,
			.interface = flags & L2FIB_FILTER ? -1 : l2fib_interface(value),
			.is_static = flags & L2FIB_STATIC,
			.age_s = flags & L2FIB_STATIC ? 0 : second - l2fib_second(value),
		};
		for (int i = 0; i < 6; i++)
			entry->mac[i] = (uint8_t)(key >> (56 - 8 * i));
	}
	return (int)count;
}

ROUTER_MODULE(l2_age_module, .name = "l2-age", .poll = l2_age)
