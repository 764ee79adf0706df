/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/frame_addresses.h"

#include "wire/address.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/mpls.h"
#include "wire/vlan.h"

enum { LABEL_LAST = 1 }; /* RFC 3032's S bit, in the third byte */

size_t frame_find_ip(const uint8_t *frame, size_t length)
{
	uint16_t type = 0;
	size_t at = frame_payload(frame, length, &type);
	if (type == ETHERNET_IP4 || type == ETHERNET_IP6)
		return at;
	if (type != ETHERNET_MPLS)
		return length;
	while (at + MPLS_LEN <= length && !(frame[at + 2] & LABEL_LAST))
		at += MPLS_LEN;
	return at + MPLS_LEN <= length ? at + MPLS_LEN : length;
}

/* False if the frame does not hold a whole IP header. */
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
