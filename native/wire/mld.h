/* SPDX-License-Identifier: Apache-2.0 */
/* Multicast listener discovery: queries of either version, reports of version 2 (RFC 3810). */
#pragma once

#include "wire/icmp6.h"

enum {
	MLD_HOP_LIMIT = 1,
	MLD_QUERY_LEN = 24, /* minimum length */
	MLD_REPORT_LEN = 8,
	MLD_RECORD_LEN = 20,
	MLD_ROUTER_ALERT_LEN = 8,
	MLD_MODE_IS_EXCLUDE = 2, /* record without sources: packets from all sources are received */
};

/* ff02::16, the group of all multicast routers. */
static inline void mld_routers(uint8_t *out)
{
	static const uint8_t group[IP6_ADDRESS_LEN] = {0xff, 0x02, [15] = 0x16};
	memcpy(out, group, sizeof(group));
}

/* Maximum delay of the reply: an integer, or a floating-point number from 32 768 on (section
 * 5.1.3). */
static inline uint32_t mld_response_ms(const struct icmp6_header *query)
{
	uint32_t code = be32toh(query->rest) >> 16;
	return code < 0x8000 ? code : ((code & 0xfff) | 0x1000) << ((code >> 12 & 7) + 3);
}

/* A report of `count` groups from `source`, behind a router alert; returns the packet's length. */
static inline uint16_t mld_write_report(uint8_t *packet, const uint8_t *source,
										uint8_t (*groups)[IP6_ADDRESS_LEN], uint16_t count)
{
	static const uint8_t alert[MLD_ROUTER_ALERT_LEN] = {IP6_ICMP, 0, 5, 2, 0, 0, 1, 0};
	uint16_t length = (uint16_t)(MLD_REPORT_LEN + count * MLD_RECORD_LEN);
	uint8_t routers[IP6_ADDRESS_LEN], *message = packet + IP6_LEN + MLD_ROUTER_ALERT_LEN;
	struct icmp6_header *icmp = (struct icmp6_header *)(void *)message;
	mld_routers(routers);
	ip6_write(packet, (uint16_t)(MLD_ROUTER_ALERT_LEN + length), IP6_HOP_BY_HOP, MLD_HOP_LIMIT,
			  source, routers);
	memcpy(packet + IP6_LEN, alert, sizeof(alert));
	memset(message, 0, length);
	*icmp = (struct icmp6_header){.type = ICMP6_LISTENER_REPORT, .rest = htobe32(count)};
	for (uint16_t i = 0; i < count; i++) {
		uint8_t *record = message + MLD_REPORT_LEN + i * MLD_RECORD_LEN;
		record[0] = MLD_MODE_IS_EXCLUDE;
		memcpy(record + MLD_RECORD_LEN - IP6_ADDRESS_LEN, groups[i], IP6_ADDRESS_LEN);
	}
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet;
	uint64_t sum = ip6_pseudo_sum(ip, length, IP6_ICMP);
	icmp->checksum = (uint16_t)~checksum_fold(checksum_add(sum, message, length));
	return (uint16_t)(IP6_LEN + MLD_ROUTER_ALERT_LEN + length);
}
