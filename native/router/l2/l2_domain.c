/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of bridge domains. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_settings.h"
#include "router/l2/l2.h"
#include "wirespeed/bridges.h"

#include <errno.h>
#include <stdlib.h>

void l2_publish_members(struct l2_domain *domain, struct l2_members *members)
{
	struct l2_members *old = domain->members;
	__atomic_store_n(&domain->members, members, __ATOMIC_RELEASE);
	rcu_synchronize();
	free(old);
}

uint16_t l2_find_domain(const struct ws_router *router, uint32_t id)
{
	for (int i = L2_NO_DOMAIN + 1; i < L2_MAX_DOMAINS; i++)
		if (l2_table(router)->domains[i].members && l2_table(router)->domains[i].id == id)
			return (uint16_t)i;
	return L2_NO_DOMAIN;
}

static int make_domain(struct ws_router *router, uint32_t id)
{
	struct l2_table *l2 = l2_table(router);
	int index = L2_NO_DOMAIN + 1;
	while (index < L2_MAX_DOMAINS && l2->domains[index].members)
		index++;
	if (index == L2_MAX_DOMAINS)
		return fail(-ENOSPC, "%d bridge domains exist, the maximum; delete one first",
					L2_MAX_DOMAINS - 1);
	if (!l2->fib)
		l2->fib = l2fib_create();
	struct l2_members *members = calloc(1, sizeof(*members));
	if (!l2->fib || !members) {
		free(members);
		return fail(-ENOMEM, "no memory for a bridge domain");
	}
	l2->domains[index] = (struct l2_domain){
		.learn = true,
		.forward = true,
		.flood = true,
		.uu_flood = true,
		.bvi = L2_NOWHERE,
		.id = id,
	};
	__atomic_store_n(&l2->domains[index].members, members, __ATOMIC_RELEASE);
	return index;
}

int l2_take_domain(struct ws_router *router, uint32_t id)
{
	int index = l2_find_domain(router, id);
	if (!id || id >= 1u << 24)
		return fail(-EINVAL, "a bridge domain's id is 1 to %u, not %u", (1u << 24) - 1, id);
	return index ? index : make_domain(router, id);
}

int ws_router_bridge_domain_set(struct ws_router *router, const struct ws_bridge_domain *wanted)
{
	int index = l2_take_domain(router, wanted->id);
	if (index < 0)
		return index;
	struct l2_domain *domain = &l2_table(router)->domains[index];
	__atomic_store_n(&domain->learn, wanted->learn, __ATOMIC_RELAXED);
	__atomic_store_n(&domain->forward, wanted->forward, __ATOMIC_RELAXED);
	__atomic_store_n(&domain->flood, wanted->flood, __ATOMIC_RELAXED);
	__atomic_store_n(&domain->uu_flood, wanted->uu_flood, __ATOMIC_RELAXED);
	domain->age_min = wanted->age_min;
	return 0;
}

static bool is_of_domain(uint64_t key, uint64_t value, const void *argument)
{
	(void)value;
	return (uint16_t)key == *(const uint16_t *)argument;
}

int ws_router_bridge_domain_del(struct ws_router *router, uint32_t id)
{
	uint16_t index = l2_find_domain(router, id);
	struct l2_domain *domain = &l2_table(router)->domains[index];
	if (!index)
		return fail(-ENOENT, "there is no bridge domain %u; show bridge-domain lists them", id);
	if (domain->members->count)
		return fail(-EEXIST, "bridge domain %u has interface %s; take it out first", id,
					interface_name(router, domain->members->at[0].interface));
	l2fib_remove(l2_table(router)->fib, is_of_domain, &index);
	l2_publish_members(domain, NULL);
	return 0;
}

int ws_router_bridge_domains(struct ws_router *router, struct ws_bridge_domain *out, uint32_t max)
{
	uint32_t count = 0;
	for (int i = L2_NO_DOMAIN + 1; i < L2_MAX_DOMAINS; i++) {
		const struct l2_domain *domain = &l2_table(router)->domains[i];
		if (!domain->members)
			continue;
		if (count < max)
			out[count] = (struct ws_bridge_domain){
				.id = domain->id,
				.learn = domain->learn,
				.forward = domain->forward,
				.flood = domain->flood,
				.uu_flood = domain->uu_flood,
				.age_min = domain->age_min,
				.bvi = domain->bvi == L2_NOWHERE ? -1 : domain->bvi,
			};
		count++;
	}
	return (int)count;
}
