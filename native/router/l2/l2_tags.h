/* SPDX-License-Identifier: Apache-2.0 */
/* A tag rewrite applied to a packet. */
#pragma once

#include "router/observe/trace.h"
#include "router/packet/metadata.h"
#include "wire/vlan.h"

enum tags_result { TAGS_REWRITTEN, TAGS_NOT_THERE, TAGS_NO_ROOM };

static inline enum tags_result packet_rewrite_tags(struct rte_mbuf *packet,
												   const struct vlan_rewrite *rewrite)
{
	int grows = rewrite->push - rewrite->pop;
	if (!vlan_rewrite_fits(rewrite, packet_data(packet), packet->data_len))
		return TAGS_NOT_THERE;
	if (packet->data_off < grows)
		return TAGS_NO_ROOM;
	vlan_rewrite_apply(rewrite, packet_data(packet));
	packet_advance(packet, -grows);
	trace_moved(packet, -grows);
	return TAGS_REWRITTEN;
}
