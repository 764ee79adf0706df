/* SPDX-License-Identifier: Apache-2.0 */
/* Questions for neighbours that the main thread sends: whether one is still there, and where. */
#include "router/interface/ip6_interface.h"
#include "router/interface/source_address.h"
#include "router/neighbor/neighbor.h"
#include "router/packet/output.h"
#include "router/worker/main_input.h"
#include "wire/arp.h"
#include "wire/nd.h"

static bool ask_arp(struct ws_router *router, uint16_t interface, const struct ws_address *address,
					const uint8_t *mac)
{
	static const uint8_t all[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct arp arp = {
		.operation = ARP_REQUEST,
		.target = address_ip4(address),
		.sender = ip4_source_address(router, interface, address_ip4(address)),
	};
	struct rte_mbuf *packet = arp.sender ? main_packet(interface, ARP_LEN) : NULL;
	if (!packet)
		return false;
	memcpy(arp.sender_mac, router->interfaces[interface].mac, sizeof(arp.sender_mac));
	arp_write(packet_data(packet), &arp);
	return main_send(router, packet, mac ? mac : all, ETHERNET_ARP);
}

static bool ask_nd(struct ws_router *router, uint16_t interface, const struct ws_address *address,
				   const uint8_t *mac)
{
	struct nd_message message = {.type = ICMP6_NEIGHBOR_SOLICITATION, .has_mac = true};
	uint8_t source[IP6_ADDRESS_LEN], to[IP6_ADDRESS_LEN], group_mac[ETHERNET_ADDRESS_LEN];
	memcpy(message.target, address->bytes, sizeof(message.target));
	memcpy(message.mac, router->interfaces[interface].mac, sizeof(message.mac));
	memcpy(to, address->bytes, sizeof(to));
	if (!mac) {
		ip6_solicited_node(to, address->bytes);
		ip6_multicast_mac(group_mac, to);
		mac = group_mac;
	}
	if (!ip6_source_address(router, interface, address->bytes, source))
		return false;
	struct rte_mbuf *packet = main_packet(interface, IP6_LEN + ND_NEIGHBOR_MESSAGE_LEN);
	if (!packet)
		return false;
	ip6_write(packet_data(packet), ND_NEIGHBOR_MESSAGE_LEN, IP6_ICMP, ND_HOP_LIMIT, source, to);
	nd_write(packet_data(packet) + IP6_LEN, &message);
	icmp6_set_checksum(packet_data(packet));
	return main_send(router, packet, mac, ETHERNET_IP6);
}

bool router_neighbor_ask(struct ws_router *router, uint16_t interface,
						 const struct ws_address *address, const uint8_t *mac)
{
	return address->family == WS_IP4 ? ask_arp(router, interface, address, mac)
									 : ask_nd(router, interface, address, mac);
}
