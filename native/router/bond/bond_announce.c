/* SPDX-License-Identifier: Apache-2.0 */
/* Another member sends from now on: ARP requests for the bond's own addresses (RFC 5227 section 3)
 * tell switches behind which port its stations are. Main thread. */
#include "router/bond/bond.h"
#include "router/packet/metadata.h"
#include "router/worker/main_input.h"
#include "wire/address.h"
#include "wire/arp.h"
#include "wire/ethernet.h"

#include <string.h>

static void announce(struct ws_router *router, uint16_t index, uint32_t address)
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

void bond_announce(struct ws_router *router, const struct bond *bond)
{
	for (uint16_t i = WS_MAX_PORTS; i < router->interface_count; i++) {
		const struct address_list *list = router->settings[i].addresses;
		if (router->bonds->by_interface[i] != bond || !router->interfaces[i].usable)
			continue;
		for (uint16_t k = 0; k < list->count; k++)
			if (list->at[k].address.family == WS_IP4)
				announce(router, i, address_ip4(&list->at[k].address));
	}
}
