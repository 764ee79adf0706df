/* SPDX-License-Identifier: Apache-2.0 */
/* Layer 2 as the user sets it: modes of interfaces, tag rewrites, bridge domains. */
#include "router/l2.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/router.h"
#include "router/vlan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void l2_init(struct l2_table *l2)
{
	for (int i = 0; i < WS_MAX_INTERFACES; i++)
		l2->interfaces[i] = (struct l2_interface){
			.xconnect_to = L2_NOWHERE,
			.plain_to = L2_NOWHERE,
			.plain_output = L2_NOWHERE,
		};
}

void l2_close(struct l2_table *l2)
{
	for (int i = 0; i < L2_MAX_DOMAINS; i++)
		free(l2->domains[i].members);
	free(l2->fib);
}

/* ---- Modes ---- */

/* As the user wants, and as layer 2 needs it, where frames for other stations pass as well. */
static int update_promiscuous(const struct ws_router *router, uint16_t port)
{
	bool on = router->settings[port].promiscuous;
	for (uint16_t i = 0; i < router->interface_count; i++)
		on |= *interface_name(router, i) && router->settings[i].parent == port &&
			  router->interfaces[i].mode != WS_MODE_L3;
	return ws_port_set_promiscuous(port, on);
}

int ws_router_set_promiscuous(struct ws_router *router, uint16_t index, bool on)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	if (router->settings[index].kind != WS_INTERFACE_PORT)
		return fail(-EINVAL, "%s filters no frames itself; name a port",
					interface_name(router, index));
	router->settings[index].promiscuous = on;
	return update_promiscuous(router, index);
}

static void set_mode(struct ws_router *router, uint16_t index, enum ws_interface_mode mode)
{
	struct interface *interface = &router->interfaces[index];
	__atomic_store_n(&interface->mode, (uint8_t)mode, __ATOMIC_RELEASE);
	router_publish_mac(interface);
	/* A driver that does not filter may refuse to be asked. */
	if (router->settings[index].kind != WS_INTERFACE_LOOPBACK)
		update_promiscuous(router, router->settings[index].parent);
}

static void update_plain(struct ws_router *router, uint16_t index)
{
	struct l2_interface *l2 = &router->l2.interfaces[index];
	bool changes_in = l2->domain || l2->in.pop || l2->in.push;
	bool changes_out = l2->shg || l2->out.pop || l2->out.push;
	l2->plain_to = changes_in ? L2_NOWHERE : l2->xconnect_to;
	l2->plain_output = changes_out ? L2_NOWHERE : router->interfaces[index].output;
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

/* In place while nobody reads, so that it cannot fail. */
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

static void publish_members(struct l2_domain *domain, struct l2_members *members)
{
	struct l2_members *old = domain->members;
	__atomic_store_n(&domain->members, members, __ATOMIC_RELEASE);
	rcu_synchronize();
	free(old);
}

static bool is_of_interface(uint64_t key, uint64_t value, const void *argument)
{
	(void)key;
	return l2fib_interface(value) == *(const uint16_t *)argument &&
		   !(l2fib_flags(value) & L2FIB_FILTER);
}

static void leave_domain(struct ws_router *router, uint16_t index)
{
	struct l2_interface *l2 = &router->l2.interfaces[index];
	struct l2_domain *domain = &router->l2.domains[l2->domain];
	if (l2->domain == L2_NO_DOMAIN)
		return;
	remove_member(router, domain->members, index);
	if (domain->bvi == index)
		__atomic_store_n(&domain->bvi, L2_NOWHERE, __ATOMIC_RELEASE);
	l2->domain = L2_NO_DOMAIN;
	l2->is_bvi = false;
	l2->shg = 0;
	l2fib_remove(router->l2.fib, is_of_interface, &index);
}

static void leave_mode(struct ws_router *router, uint16_t index)
{
	struct l2_interface *l2 = &router->l2.interfaces[index];
	set_mode(router, index, WS_MODE_L3);
	rcu_synchronize();
	leave_domain(router, index);
	l2->xconnect_to = L2_NOWHERE;
	update_plain(router, index);
}

void l2_leave(struct ws_router *router, uint16_t index)
{
	leave_mode(router, index);
	router->l2.interfaces[index] = (struct l2_interface){.xconnect_to = L2_NOWHERE};
	update_plain(router, index);
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
		return fail(-EINVAL, "interface %s cannot be connected to itself",
					interface_name(router, index));
	if (check_not_loopback(router, index) || check_not_loopback(router, to))
		return -EINVAL;
	if (router->l2.interfaces[index].domain)
		leave_mode(router, index);
	router->l2.interfaces[index].xconnect_to = to;
	update_plain(router, index);
	update_plain(router, to);
	set_mode(router, index, WS_MODE_XCONNECT);
	return 0;
}

/* ---- Tag rewrites ---- */

static void put_tag(struct vlan_rewrite *rewrite, uint16_t type, uint16_t id)
{
	uint8_t *tag = rewrite->tags + rewrite->push;
	tag[0] = (uint8_t)(type >> 8);
	tag[1] = (uint8_t)type;
	tag[2] = (uint8_t)(id >> 8);
	tag[3] = (uint8_t)id;
	rewrite->push += VLAN_TAG_LEN;
}

int ws_router_set_tag_rewrite(struct ws_router *router, uint16_t index,
							  const struct ws_tag_rewrite *wanted)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct interface *interface = &router->interfaces[index];
	struct l2_interface *l2 = &router->l2.interfaces[index];
	struct vlan_rewrite in = {.pop = (uint8_t)(wanted->pop * VLAN_TAG_LEN)};
	struct vlan_rewrite out = {.pop = (uint8_t)(wanted->push * VLAN_TAG_LEN)};
	if (wanted->pop > VLAN_MAX_TAGS || wanted->push > VLAN_MAX_TAGS)
		return fail(-EINVAL, "at most %d tags can be taken off or put on", VLAN_MAX_TAGS);
	/* What is taken off on the way in has to be known to be put back on the way out. */
	if (in.pop > interface->tag_len)
		return fail(-EINVAL, "%s has %u tags of its own, so %u cannot be taken off its frames",
					interface_name(router, index), interface->tag_len / VLAN_TAG_LEN, wanted->pop);
	for (uint8_t i = 0; i < wanted->push; i++) {
		if (wanted->tags[i] < 1 || wanted->tags[i] >= VLAN_ID_MASK)
			return fail(-EINVAL, "a VLAN id is 1 to %d, not %u", VLAN_ID_MASK - 1, wanted->tags[i]);
		put_tag(&in, wanted->dot1ad && !i ? ETHERNET_QINQ : ETHERNET_VLAN, wanted->tags[i]);
	}
	memcpy(out.tags, interface->tags, in.pop);
	out.push = in.pop;
	/* Changed while nobody reads: a rewrite is more than a word. */
	router_pause(router);
	l2->in = in;
	l2->out = out;
	update_plain(router, index);
	router->settings[index].tag_rewrite = *wanted;
	router_resume(router);
	return 0;
}

/* ---- Bridge domains ---- */

uint16_t l2_find_domain(const struct ws_router *router, uint32_t id)
{
	for (int i = L2_NO_DOMAIN + 1; i < L2_MAX_DOMAINS; i++)
		if (router->l2.domains[i].members && router->l2.domains[i].id == id)
			return (uint16_t)i;
	return L2_NO_DOMAIN;
}

static int make_domain(struct ws_router *router, uint32_t id)
{
	struct l2_table *l2 = &router->l2;
	int index = L2_NO_DOMAIN + 1;
	while (index < L2_MAX_DOMAINS && l2->domains[index].members)
		index++;
	if (index == L2_MAX_DOMAINS)
		return fail(-ENOSPC, "there are %d bridge domains, which is the most", L2_MAX_DOMAINS - 1);
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

static int take_domain(struct ws_router *router, uint32_t id)
{
	int index = l2_find_domain(router, id);
	if (!id || id >= 1u << 24)
		return fail(-EINVAL, "a bridge domain's id is 1 to %u, not %u", (1u << 24) - 1, id);
	return index ? index : make_domain(router, id);
}

int ws_router_bridge_domain_set(struct ws_router *router, const struct ws_bridge_domain *wanted)
{
	int index = take_domain(router, wanted->id);
	if (index < 0)
		return index;
	struct l2_domain *domain = &router->l2.domains[index];
	domain->learn = wanted->learn;
	domain->forward = wanted->forward;
	domain->flood = wanted->flood;
	domain->uu_flood = wanted->uu_flood;
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
	struct l2_domain *domain = &router->l2.domains[index];
	if (!index)
		return fail(-ENOENT, "there is no bridge domain %u", id);
	if (domain->members->count)
		return fail(-EEXIST, "bridge domain %u has interface %s; take it out first", id,
					interface_name(router, domain->members->at[0].interface));
	l2fib_remove(router->l2.fib, is_of_domain, &index);
	publish_members(domain, NULL);
	return 0;
}

static int check_bvi(const struct ws_router *router, uint16_t index, uint32_t id, bool bvi)
{
	int domain = l2_find_domain(router, id);
	uint16_t there = domain ? router->l2.domains[domain].bvi : L2_NOWHERE;
	if (!bvi)
		return check_not_loopback(router, index);
	if (router->settings[index].kind != WS_INTERFACE_LOOPBACK)
		return fail(-EINVAL, "%s is no loopback; only those can be a BVI",
					interface_name(router, index));
	return there == L2_NOWHERE || there == index
			   ? 0
			   : fail(-EEXIST, "bridge domain %u has BVI %s already", id,
					  interface_name(router, there));
}

static int join(struct ws_router *router, uint16_t index, uint16_t domain_index, bool bvi,
				uint8_t shg)
{
	struct l2_domain *domain = &router->l2.domains[domain_index];
	struct l2_interface *l2 = &router->l2.interfaces[index];
	struct l2_members *members = members_with(domain->members, (struct l2_member){index, shg, bvi});
	int error = members ? 0 : -ENOMEM;
	if (!error && bvi)
		error = l2_add_own_address(router, index, domain_index);
	if (error) {
		free(members);
		return error;
	}
	l2->domain = domain_index;
	l2->shg = shg;
	l2->is_bvi = bvi;
	update_plain(router, index);
	publish_members(domain, members);
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
	int domain = error ? error : take_domain(router, id);
	if (domain < 0)
		return domain;
	leave_mode(router, index);
	return join(router, index, (uint16_t)domain, bvi, shg);
}

int ws_router_bridge_domains(struct ws_router *router, struct ws_bridge_domain *out, uint32_t max)
{
	uint32_t count = 0;
	for (int i = L2_NO_DOMAIN + 1; i < L2_MAX_DOMAINS; i++) {
		const struct l2_domain *domain = &router->l2.domains[i];
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
