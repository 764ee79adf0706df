/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/frame_flow.h"

#include "wire/frame_addresses.h"
#include "wire/ip6.h"
#include "wirespeed/address.h"

static uint64_t load(const uint8_t *bytes)
{
	uint64_t value;
	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Address of the ports, or of four zeros; the IP header must be whole. */
static const uint8_t *find_ports(const uint8_t *ip, uint8_t version, size_t room)
{
	static const uint8_t none[FLOW_PORTS_LEN];
	uint8_t protocol = version == WS_IP4 ? ip[9] : ip[6];
	size_t at = version == WS_IP4 ? (size_t)(ip[0] & 15) * 4 : IP6_LEN;
	bool is_fragment = version == WS_IP4 && ((ip[6] & 0x3f) || ip[7]);
	bool has_ports = protocol == FLOW_TCP || protocol == FLOW_UDP || protocol == FLOW_SCTP;
	return has_ports && !is_fragment && at >= IP4_LEN && at + FLOW_PORTS_LEN <= room ? ip + at
																					 : none;
}

static uint32_t flow_of_ip6(const uint8_t *ip, const uint8_t *ports, bool is_symmetrical)
{
	uint64_t hash = ip[6];
	uint32_t pair;
	memcpy(&pair, ports, sizeof(pair));
	for (int i = 0; i < 16; i += 8) {
		uint64_t from = load(ip + 8 + i), to = load(ip + 24 + i);
		hash = is_symmetrical ? flow_mix(hash, from + to) : flow_mix(flow_mix(hash, from), to);
	}
	if (is_symmetrical)
		pair = (pair & 0xffff) + (pair >> 16);
	return flow_fold(flow_mix(hash, pair));
}

uint32_t frame_flow_hash_any(const uint8_t *frame, size_t length, bool is_symmetrical)
{
	size_t at = frame_find_ip(frame, length), room = length - at;
	const uint8_t *ip = frame + at;
	uint8_t version = room ? ip[0] >> 4 : 0;
	if (version == WS_IP4 && room >= IP4_LEN)
		return frame_flow_of_ip4(ip, find_ports(ip, version, room), is_symmetrical);
	if (version == WS_IP6 && room >= IP6_LEN)
		return flow_of_ip6(ip, find_ports(ip, version, room), is_symmetrical);
	return 0;
}
