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

size_t frame_find_ip(const uint8_t *frame, size_t length)
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

/* False when the frame holds no whole IP header. */
static bool frame_addresses(const uint8_t *frame, size_t length, struct ws_address *source,
							struct ws_address *destination)
{
	size_t at = frame_find_ip(frame, length), room = length - at;
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
