/* SPDX-License-Identifier: Apache-2.0 */
/* The packet quoted by an ICMP error, for both families. */
#pragma once

#include "router/packet/metadata.h"
#include "wire/icmp_extension.h"

#include <rte_branch_prediction.h>

/*
 * Cut the packet, of `whole` bytes, to the part that the error quotes: at most `most` bytes, from
 * its first buffer only. If there are `labels` in front of it, and the buffer has room, they become
 * an extension behind the quotation, which is then a multiple of `unit`. Returns the quotation's
 * length in units for the error's header, or 0 without an extension.
 */
static inline uint8_t icmp_quote(struct rte_mbuf *packet, uint32_t whole, uint16_t most,
								 uint16_t labels, uint16_t unit)
{
	uint16_t extension = icmp_label_stack_length(labels);
	uint16_t room = (uint16_t)(most - extension) / unit * unit;
	uint16_t quoted = (uint16_t)RTE_MIN((uint32_t)packet->data_len, whole);
	uint16_t kept = RTE_MIN(quoted, room);
	uint16_t padded = RTE_MAX((uint16_t)((kept + unit - 1) / unit * unit), ICMP_QUOTED_LEN);
	if (likely(!labels) || packet->data_off + padded + extension > packet->buf_len) {
		packet_truncate(packet, RTE_MIN(quoted, most));
		return 0;
	}
	packet_truncate(packet, kept);
	uint8_t *data = packet_data(packet);
	memset(data + kept, 0, padded - kept);
	icmp_write_label_stack(data + padded, data - labels * MPLS_LEN, labels);
	uint64_t behind = (uint64_t)padded - kept + extension;
	packet_lengthen(packet, behind);
	return (uint8_t)(padded / unit);
}
