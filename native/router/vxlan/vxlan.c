/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and deleting VXLAN tunnels. Main thread. */
#include "router/vxlan/vxlan.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_make.h"
#include "router/interface/interface_settings.h"
#include "router/interface_kind.h"
#include "router/route/route.h"
#include "wire/address.h"
#include "wirespeed/vxlan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TUNNEL_MTU = 1500, OUTER_TTL = 255, FEWEST_SLOTS = 16 };

static int check(const struct ws_vxlan_tunnel *given)
{
	if (given->source.family != given->destination.family)
		return fail(-EINVAL,
					"src %s and dst %s have different families; give two addresses of one family",
					ADDRESS_TEXT(&given->source), ADDRESS_TEXT(&given->destination));
	if (!address_is_unicast(&given->source) || !address_is_unicast(&given->destination))
		return fail(-EINVAL, "%s cannot be the end of a tunnel; give a unicast address",
					ADDRESS_TEXT(address_is_unicast(&given->source) ? &given->destination
																	: &given->source));
	if (address_equal(&given->source, &given->destination))
		return fail(-EINVAL, "src and dst are both %s; name the other end",
					ADDRESS_TEXT(&given->source));
	if (!given->vni || given->vni > VXLAN_MAX_VNI)
		return fail(-EINVAL, "a VNI is 1 to %d, not %u", VXLAN_MAX_VNI, given->vni);
	return 0;
}

static struct vxlan_key key_of(const struct ws_vxlan_tunnel *given, uint16_t table)
{
	struct vxlan_key key = {
		.vni = htobe32(given->vni << VXLAN_VNI_SHIFT),
		.table = table,
		.family = given->source.family,
	};
	memcpy(key.remote, given->destination.bytes, sizeof(key.remote));
	memcpy(key.local, given->source.bytes, sizeof(key.local));
	return key;
}

/* Lengths, checksums and the source port differ between packets; the checksum here is that of an
 * IPv4 header with length 0. */
static void write_headers(struct vxlan_tunnel *tunnel)
{
	static const uint8_t nobody[6];
	bool is_ip4 = tunnel->key.family == WS_IP4;
	uint32_t source, destination;
	uint8_t *ip = tunnel->headers + ETHERNET_LEN, *udp = ip + (is_ip4 ? IP4_LEN : IP6_LEN);
	ethernet_write(tunnel->headers, nobody, nobody, is_ip4 ? ETHERNET_IP4 : ETHERNET_IP6);
	if (is_ip4) {
		memcpy(&source, tunnel->key.local, sizeof(source));
		memcpy(&destination, tunnel->key.remote, sizeof(destination));
		ip4_write(ip, 0, IP4_UDP, OUTER_TTL, source, destination);
	} else {
		ip6_write(ip, 0, IP6_UDP, OUTER_TTL, tunnel->key.local, tunnel->key.remote);
	}
	const struct udp_header ports = {.destination = htobe16(VXLAN_PORT)};
	const struct vxlan_header vxlan = {.flags = htobe32(VXLAN_HAS_VNI), .vni = tunnel->key.vni};
	memcpy(udp, &ports, sizeof(ports));
	memcpy(udp + UDP_LEN, &vxlan, sizeof(vxlan));
}

static void put(struct vxlan_ends *ends, struct vxlan_tunnel *tunnel)
{
	uint32_t slot = vxlan_hash(&tunnel->key) & ends->mask;
	while (ends->slots[slot])
		slot = (slot + 1) & ends->mask;
	ends->slots[slot] = tunnel;
	ends->count++;
}

/* The ends of `old`, with `more` and without `less`; each may be NULL. */
static struct vxlan_ends *ends_make(const struct vxlan_ends *old, struct vxlan_tunnel *more,
									const struct vxlan_tunnel *less)
{
	uint32_t slots = FEWEST_SLOTS, count = old ? old->count + 1 : 1;
	while (slots < 2 * count)
		slots *= 2;
	struct vxlan_ends *ends = calloc(1, sizeof(*ends) + slots * sizeof(ends->slots[0]));
	if (!ends)
		return NULL;
	ends->mask = slots - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (old->slots[i] && old->slots[i] != less)
			put(ends, old->slots[i]);
	if (more)
		put(ends, more);
	return ends;
}

static void publish(struct vxlan_state *state, struct vxlan_ends *ends)
{
	struct vxlan_ends *old = state->ends;
	__atomic_store_n(&state->ends, ends, __ATOMIC_RELEASE);
	rcu_synchronize();
	free(old);
}

/* Created with the first tunnel, so that routers without tunnels need no memory for it. */
static struct vxlan_state *make_state(struct ws_router *router)
{
	struct vxlan_state *state = vxlan_state(router);
	if (state)
		return state;
	state = calloc(1, sizeof(*state));
	if (state)
		state->ends = ends_make(NULL, NULL, NULL);
	if (!state || !state->ends) {
		free(state);
		return NULL;
	}
	module_set_state(router, &vxlan_module, state);
	return state;
}

/* Set the nodes that find tunnels' packets among those to this router. */
static int set_nodes(struct ws_router *router, bool on)
{
	static const struct graph_feature_on nodes[] = {{"vxlan4-input", NO_PORT},
													{"vxlan6-input", NO_PORT}};
	return features_set_all(router, nodes, sizeof(nodes) / sizeof(nodes[0]), on);
}

static int make_interface(struct ws_router *router, const struct vxlan_tunnel *tunnel)
{
	uint32_t instance = tunnel->given.instance;
	struct interface interface = {
		.mtu = TUNNEL_MTU,
		.mac = {0x02, 0xfe, (uint8_t)(instance >> 24), (uint8_t)(instance >> 16),
				(uint8_t)(instance >> 8), (uint8_t)instance},
	};
	struct interface_settings settings = {
		.kind = WS_INTERFACE_VXLAN, .link_up = true, .instance = instance};
	snprintf(settings.name, sizeof(settings.name), "vxlan_tunnel%u", instance);
	return interface_make_own(router, &interface, &settings);
}

static int add(struct ws_router *router, struct vxlan_state *state, struct vxlan_tunnel *tunnel)
{
	const struct vxlan_tunnel *there = vxlan_find(state->ends, &tunnel->key);
	if (there)
		return fail(-EEXIST, "%s already has VNI %u to %s; give another",
					interface_name(router, there->interface), there->given.vni,
					ADDRESS_TEXT(&there->given.destination));
	struct vxlan_ends *ends = ends_make(state->ends, tunnel, NULL);
	if (!ends)
		return fail(-ENOMEM, "no memory for a tunnel");
	int index = make_interface(router, tunnel);
	if (index < 0) {
		free(ends);
		return index;
	}
	tunnel->interface = (uint16_t)index;
	__atomic_store_n(&state->by_interface[index], tunnel, __ATOMIC_RELEASE);
	publish(state, ends);
	return index;
}

int ws_router_vxlan_add(struct ws_router *router, const struct ws_vxlan_tunnel *given)
{
	int error = check(given);
	if (error)
		return error;
	struct fib_table *table = router_table(router, given->source.family, given->table);
	if (!table)
		return -ENOENT;
	struct vxlan_state *state = make_state(router);
	struct vxlan_tunnel *tunnel = calloc(1, sizeof(*tunnel));
	if (!state || !tunnel) {
		free(tunnel);
		return fail(-ENOMEM, "no memory for a tunnel");
	}
	*tunnel = (struct vxlan_tunnel){
		.key = key_of(given, table->index), .decap = (uint8_t)given->decap, .given = *given};
	write_headers(tunnel);
	int index = set_nodes(router, true);
	if (!index)
		index = add(router, state, tunnel);
	if (index < 0) {
		free(tunnel);
		return index;
	}
	table->tunnels++; /* the state holds it: NOLINT(clang-analyzer-unix.Malloc) */
	return index;
}

int ws_router_vxlan(struct ws_router *router, uint16_t index, struct ws_vxlan_tunnel *out)
{
	const struct vxlan_tunnel *tunnel =
		router_check_interface(router, index) ? NULL : vxlan_tunnel(router, index);
	if (!tunnel || tunnel->interface != index)
		return fail(-ENODEV, "interface %u is not a VXLAN tunnel; show vxlan tunnel lists them",
					index);
	*out = tunnel->given;
	return 0;
}

static int let_go(struct ws_router *router, struct vxlan_state *state, struct vxlan_tunnel *tunnel)
{
	struct vxlan_ends *ends = ends_make(state->ends, NULL, tunnel);
	if (!ends)
		return fail(-ENOMEM, "no memory to delete a tunnel");
	int error = ends->count ? 0 : set_nodes(router, false);
	if (error) {
		free(ends);
		return error;
	}
	__atomic_store_n(&state->by_interface[tunnel->interface], NULL, __ATOMIC_RELEASE);
	publish(state, ends);
	router->tables[family_index((uint8_t)tunnel->key.family)][tunnel->key.table]->tunnels--;
	free(tunnel);
	return 0;
}

static int changed(struct ws_router *router, uint16_t index, enum interface_change change)
{
	struct vxlan_state *state = vxlan_state(router);
	struct vxlan_tunnel *tunnel = state ? state->by_interface[index] : NULL;
	if (state && change == INTERFACE_MADE && router->settings[index].kind == WS_INTERFACE_SUB) {
		tunnel = state->by_interface[router->settings[index].parent];
		__atomic_store_n(&state->by_interface[index], tunnel, __ATOMIC_RELEASE);
	} else if (tunnel && change == INTERFACE_LEAVES) {
		if (tunnel->interface == index)
			return let_go(router, state, tunnel);
		__atomic_store_n(&state->by_interface[index], NULL, __ATOMIC_RELEASE);
	}
	return 0;
}
INTERFACE_WATCH(changed)

static void vxlan_free(struct ws_router *router)
{
	struct vxlan_state *state = vxlan_state(router);
	if (!state)
		return;
	for (uint32_t slot = 0; slot <= state->ends->mask; slot++)
		free(state->ends->slots[slot]);
	free(state->ends);
}

ROUTER_MODULE_EXTERN(vxlan_module, .name = "vxlan", .free = vxlan_free)

static const struct interface_kind vxlan_kind = {
	.kind = WS_INTERFACE_VXLAN, .output = "vxlan", .takes_subs = true, .is_unlimited = true};
INTERFACE_KIND(vxlan_kind)
