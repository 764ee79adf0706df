/* SPDX-License-Identifier: Apache-2.0 */
/* Offset of the IP header in a whole frame, with or without tags, but not behind labels. */
#pragma once

#include "router/packet/metadata.h"
#include "wire/ethernet.h"
#include "wire/vlan.h"

#include <stdbool.h>

/* True if the frame is IP; `at` becomes the offset of its header, `family` a family_index. */
static inline bool packet_find_ip(const struct rte_mbuf *packet, size_t *at, int *family)
{
	uint16_t type = 0;
	*at = frame_payload(packet_data(packet), packet->data_len, &type);
	*family = type == ETHERNET_IP6;
	return *at && (*family || type == ETHERNET_IP4);
}
