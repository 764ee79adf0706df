/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to neighbours from the main thread: probes, and resolution. */
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
	uint32_t target = address_ip4(address), sender = ip4_source_address(router, interface, target);
	struct rte_mbuf *packet = sender ? main_packet(interface, ARP_LEN) : NULL;
	if (!packet)
		return false;
	arp_write_request(packet_data(packet), router->interfaces[interface].mac, sender, target);
	return main_send(router, packet, mac ? mac : arp_everybody, ETHERNET_ARP);
}

static bool ask_nd(struct ws_router *router, uint16_t interface, const struct ws_address *address,
				   const uint8_t *mac)
{
	uint8_t source[IP6_ADDRESS_LEN], to[IP6_ADDRESS_LEN], group_mac[ETHERNET_ADDRESS_LEN];
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
	nd_write_solicitation(packet_data(packet), source, to, address->bytes,
						  router->interfaces[interface].mac);
	return main_send(router, packet, mac, ETHERNET_IP6);
}

bool router_neighbor_ask(struct ws_router *router, uint16_t interface,
						 const struct ws_address *address, const uint8_t *mac)
{
	return address->family == WS_IP4 ? ask_arp(router, interface, address, mac)
									 : ask_nd(router, interface, address, mac);
}
