/* SPDX-License-Identifier: Apache-2.0 */
/* Another member sends from now on: ARP requests for the bond's own IPv4 addresses (RFC 5227
 * section 3) and unsolicited advertisements of its IPv6 addresses (RFC 4861 section 7.2.6) tell
 * switches behind which port its stations are. Main thread. */
#include "router/bond/bond.h"
#include "router/interface/ip6_interface.h"
#include "router/packet/metadata.h"
#include "router/worker/main_input.h"
#include "wire/address.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/nd.h"

#include <string.h>

static void announce_ip4(struct ws_router *router, uint16_t index, uint32_t address)
{
	static const uint8_t all[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct arp arp = {.operation = ARP_REQUEST, .sender = address, .target = address};
	struct rte_mbuf *packet = main_packet(index, ARP_LEN);
	if (!packet)
		return;
	memcpy(arp.sender_mac, router->interfaces[index].mac, sizeof(arp.sender_mac));
	arp_write(packet_data(packet), &arp);
	main_send(router, packet, all, ETHERNET_ARP);
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
	ip6_write(packet_data(packet), ND_NEIGHBOR_MESSAGE_LEN, IP6_ICMP, ND_HOP_LIMIT, address, all);
	nd_write(packet_data(packet) + IP6_LEN, &message);
	icmp6_set_checksum(packet_data(packet));
	main_send(router, packet, mac, ETHERNET_IP6);
}

static void announce(struct ws_router *router, uint16_t index)
{
	const struct address_list *list = router->settings[index].addresses;
	const struct ip6_interface *ip6 = router->ip6[index];
	if (ip6)
		announce_ip6(router, index, ip6->link_local);
	for (uint16_t i = 0; i < list->count; i++) {
		const struct ws_address *address = &list->at[i].address;
		if (address->family == WS_IP4)
			announce_ip4(router, index, address_ip4(address));
		else
			announce_ip6(router, index, address->bytes);
	}
}

void bond_announce(struct ws_router *router, const struct bond *bond)
{
	for (uint16_t i = WS_MAX_PORTS; i < router->interface_count; i++)
		if (router->bonds->by_interface[i] == bond && router->interfaces[i].usable)
			announce(router, i);
}
