/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums over packets in one or several buffers. */
#pragma once

#include "router/packet/metadata.h"
#include "wire/checksum.h"

/* Checksum of `sum` and `length` bytes from `offset` on, across buffers; 0 if a checksum within
 * them is right. */
static inline uint16_t packet_checksum(uint64_t sum, const struct rte_mbuf *packet, uint32_t offset,
									   uint32_t length)
{
	bool odd = false;
	for (; packet && length; packet = packet->next) {
		if (offset >= packet->data_len) {
			offset -= packet->data_len;
			continue;
		}
		uint32_t part = packet->data_len - offset;
		if (part > length)
			part = length;
		uint16_t folded = checksum_fold(checksum_add(0, packet_data(packet) + offset, part));
		sum += odd ? __builtin_bswap16(folded) : folded;
		odd ^= part & 1;
		length -= part;
		offset = 0;
	}
	return (uint16_t)~checksum_fold(sum);
}
