/* SPDX-License-Identifier: Apache-2.0 */
/* Restores the Ethernet header of a packet that had it removed, for linux-cp-punt. */
#pragma once

#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/ethernet.h"

/*
 * Restore the frame of a packet of Ethernet type `type`: its received header is in front of the
 * data, or what a node that popped a label stack has left of it.
 */
static inline void packet_restore_frame(struct rte_mbuf *packet, const struct interface *interface,
										enum ethernet_type type)
{
	packet_advance(packet, -ETHERNET_LEN);
	const struct ethernet_header *header = (const void *)packet_data(packet);
	if (header->type != htobe16(type))
		ethernet_write(packet_data(packet), interface->mac, interface->mac, type);
}
