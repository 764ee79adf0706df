/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announcements of the router's addresses: ARP requests for IPv4 addresses (RFC 5227 section 3) and
 * unsolicited advertisements of IPv6 addresses (RFC 4861 section 7.2.6), from which stations learn
 * its MAC address and switches its port. Main thread.
 *
 * If announcing is on, the addresses of an interface are announced twice after a change of them or
 * of its MAC address, and when it comes up. On a paired interface Linux announces the addresses.
 */
#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_due.h"
#include "router/interface/interface_settings.h"
#include "router/interface/ip6_interface.h"
#include "router/module.h"
#include "router/neighbor/neighbor.h"
#include "router/packet/metadata.h"
#include "router/worker/main_input.h"
#include "wire/address.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/nd.h"
#include "wirespeed/neighbors.h"

#include <errno.h>
#include <rte_cycles.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2, BETWEEN_ROUNDS_S = 2 };

struct announcements {
	struct interface_due due;
	bool is_on[FAMILIES];
	uint8_t left[WS_MAX_INTERFACES]; /* rounds left, for interfaces that are due */
};

static struct router_module announce_module;

/* NULL before announcing is first set. */
static struct announcements *announcements_of(const struct ws_router *router)
{
	return module_state(router, &announce_module);
}

struct interface_due *announcements_due(const struct ws_router *router)
{
	struct announcements *all = announcements_of(router);
	return all ? &all->due : NULL;
}

static void announce_ip4(struct ws_router *router, uint16_t index, uint32_t address)
{
	struct rte_mbuf *packet = main_packet(index, ARP_LEN);
	if (!packet)
		return;
	arp_write_request(packet_data(packet), router->interfaces[index].mac, address, address);
	main_send(router, packet, arp_everybody, ETHERNET_ARP);
}

static void announce_ip6(struct ws_router *router, uint16_t index, const uint8_t *address)
{
	struct nd_message message = {
		.type = ICMP6_NEIGHBOR_ADVERTISEMENT,
		.is_router = true,
		.is_override = true,
		.has_mac = true,
	};
	uint8_t all[IP6_ADDRESS_LEN], mac[ETHERNET_ADDRESS_LEN];
	struct rte_mbuf *packet = main_packet(index, IP6_LEN + ND_NEIGHBOR_MESSAGE_LEN);
	if (!packet)
		return;
	ip6_all_nodes(all);
	ip6_multicast_mac(mac, all);
	memcpy(message.target, address, sizeof(message.target));
	memcpy(message.mac, router->interfaces[index].mac, sizeof(message.mac));
	nd_write_packet(packet_data(packet), address, all, &message);
	main_send(router, packet, mac, ETHERNET_IP6);
}

void router_announce_addresses(struct ws_router *router, uint16_t index, uint8_t family)
{
	const struct address_list *list = router->settings[index].addresses;
	const struct ip6_interface *ip6 = router->ip6[index];
	if (ip6 && !ip6->is_tentative && family == WS_IP6)
		announce_ip6(router, index, ip6->link_local);
	for (uint16_t i = 0; i < list->count; i++) {
		const struct ws_address *address = &list->at[i].address;
		if (address->family != family)
			continue;
		if (family == WS_IP4)
			announce_ip4(router, index, address_ip4(address));
		else
			announce_ip6(router, index, address->bytes);
	}
}

static void announce(struct ws_router *router, uint16_t index)
{
	const bool *is_on = announcements_of(router)->is_on;
	if (!router->interfaces[index].usable || interface_is_paired(&router->interfaces[index]))
		return;
	if (is_on[family_index(WS_IP4)])
		router_announce_addresses(router, index, WS_IP4);
	if (is_on[family_index(WS_IP6)])
		router_announce_addresses(router, index, WS_IP6);
}

static void router_announce(struct ws_router *router)
{
	struct announcements *all = announcements_of(router);
	struct interface_due *due = announcements_due(router);
	uint64_t now = rte_rdtsc();
	uint16_t index;
	for (int done = 0; due && done < MAIN_INPUT_A_POLL && interface_due_take(due, now, &index);
		 done++) {
		if (--all->left[index])
			interface_due_at(due, index, now + BETWEEN_ROUNDS_S * router->tsc_hz);
		announce(router, index);
	}
}

static int addresses_changed(struct ws_router *router, uint16_t index, enum interface_change change)
{
	struct announcements *all = announcements_of(router);
	if (!all || (change != INTERFACE_ADDRESSES_CHANGED && change != INTERFACE_USABLE_CHANGED &&
				 change != INTERFACE_MAC_CHANGED))
		return 0;
	all->left[index] = ROUNDS;
	if (router->interfaces[index].usable)
		interface_due_at(&all->due, index, 0);
	else
		interface_due_never(&all->due, index);
	return 0;
}
INTERFACE_WATCH(addresses_changed)

int ws_router_set_announcing(struct ws_router *router, uint8_t family, bool is_on)
{
	struct announcements *all = announcements_of(router);
	if (!all) {
		all = calloc(1, sizeof(*all));
		module_set_state(router, &announce_module, all);
	}
	if (!all)
		return fail(-ENOMEM, "no memory to announce addresses");
	all->is_on[family_index(family)] = is_on;
	return 0;
}

bool ws_router_is_announcing(const struct ws_router *router, uint8_t family)
{
	const struct announcements *all = announcements_of(router);
	return all && all->is_on[family_index(family)];
}

ROUTER_MODULE(announce_module, .name = "announce", .after = {"advertise", "lacp", "dad"},
			  .poll = router_announce)
