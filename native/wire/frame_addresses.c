/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/frame_addresses.h"

#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/mpls.h"

enum { LABEL_LAST = 1 }; /* RFC 3032's S bit, in the third byte */

static uint16_t type_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

/* Where the IP header begins, or `length`. */
static size_t find_ip(const uint8_t *frame, size_t length)
{
	size_t at = ETHERNET_LEN;
	if (length < at)
		return length;
	uint16_t type = type_at(frame + at - 2);
	for (; (type == ETHERNET_VLAN || type == ETHERNET_QINQ) && at + VLAN_TAG_LEN <= length;
		 at += VLAN_TAG_LEN)
		type = type_at(frame + at + 2);
	if (type == ETHERNET_IP4 || type == ETHERNET_IP6)
		return at;
	if (type != ETHERNET_MPLS)
		return length;
	while (at + MPLS_LEN <= length && !(frame[at + 2] & LABEL_LAST))
		at += MPLS_LEN;
	return at + MPLS_LEN <= length ? at + MPLS_LEN : length;
}

bool frame_addresses(const uint8_t *frame, size_t length, struct ws_address *source,
					 struct ws_address *destination)
{
	size_t at = find_ip(frame, length), room = length - at;
	uint8_t version = room ? frame[at] >> 4 : 0;
	*source = *destination = (struct ws_address){.family = version};
	if (version == WS_IP4 && room >= IP4_LEN) {
		memcpy(source->bytes, frame + at + 12, 4);
		memcpy(destination->bytes, frame + at + 16, 4);
		return true;
	}
	if (version == WS_IP6 && room >= IP6_LEN) {
		memcpy(source->bytes, frame + at + 8, 16);
		memcpy(destination->bytes, frame + at + 24, 16);
		return true;
	}
	return false;
}

bool frame_touches(const uint8_t *frame, size_t length, const struct ws_prefix *prefix)
{
	struct ws_address source, destination;
	return frame_addresses(frame, length, &source, &destination) &&
		   (prefix_covers(prefix, &source) || prefix_covers(prefix, &destination));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t load(const uint8_t *bytes)
{
	uint64_t value;
	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Where the ports are, or 0; the header is whole. */
static size_t find_ports(const uint8_t *ip, uint8_t version, size_t room)
{
	enum { TCP = 6, UDP = 17, SCTP = 132, PORTS_LEN = 4 };
	uint8_t protocol = version == WS_IP4 ? ip[9] : ip[6];
	size_t at = version == WS_IP4 ? (size_t)(ip[0] & 15) * 4 : IP6_LEN;
	bool is_fragment = version == WS_IP4 && ((ip[6] & 0x3f) || ip[7]);
	bool has_ports = protocol == TCP || protocol == UDP || protocol == SCTP;
	return has_ports && !is_fragment && at >= IP4_LEN && at + PORTS_LEN <= room ? at : 0;
}

uint32_t frame_flow_hash(const uint8_t *frame, size_t length, bool is_symmetrical)
{
	struct ws_address from, to;
	if (!frame_addresses(frame, length, &from, &to))
		return 0;
	size_t start = find_ip(frame, length);
	const uint8_t *ip = frame + start;
	size_t ports = find_ports(ip, from.family, length - start);
	uint32_t source = ports ? type_at(ip + ports) : 0, target = ports ? type_at(ip + ports + 2) : 0;
	uint64_t hash = from.family == WS_IP4 ? ip[9] : ip[6];
	for (int i = 0; i < (from.family == WS_IP4 ? 8 : 16); i += 8) {
		uint64_t a = load(from.bytes + i), b = load(to.bytes + i);
		hash = is_symmetrical ? mix(hash, a + b) : mix(mix(hash, a), b);
	}
	return (uint32_t)(mix(hash, is_symmetrical ? source + target : source << 16 | target) >> 32);
}
