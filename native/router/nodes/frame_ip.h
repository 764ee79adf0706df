/* SPDX-License-Identifier: Apache-2.0 */
/* Where the IP header of a whole frame is, tagged or not. */
#ifndef ROUTER_FRAME_IP_H
#define ROUTER_FRAME_IP_H

#include "router/packet/metadata.h"
#include "wire/ethernet.h"
#include "wire/vlan.h"

#include <stdbool.h>

/* Where what follows the Ethernet header and its tags begins; `type` is what it is. 0 of a frame
 * that ends before that. */
static inline size_t frame_payload(const uint8_t *bytes, size_t length, uint16_t *type)
{
	size_t at = ETHERNET_LEN - 2;
	while (length >= at + 2) {
		*type = vlan_load16(bytes + at);
		if (!vlan_is_type(*type))
			return at + 2;
		at += VLAN_TAG_LEN;
	}
	return 0;
}

/* Returns whether the frame is IP; `at` is where its header begins, `family` a family_index. */
static inline bool frame_find_ip(const struct rte_mbuf *packet, size_t *at, int *family)
{
	uint16_t type = 0;
	*at = frame_payload(packet_data(packet), packet->data_len, &type);
	*family = type == ETHERNET_IP6;
	return *at && (*family || type == ETHERNET_IP4);
}

#endif
