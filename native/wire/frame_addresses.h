/* SPDX-License-Identifier: Apache-2.0 */
/* The IP addresses in a frame, wherever they are: behind VLAN tags and MPLS labels as well. */
#ifndef WIRE_FRAME_ADDRESSES_H
#define WIRE_FRAME_ADDRESSES_H

#include "wirespeed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when the frame holds no whole IP header. */
bool frame_addresses(const uint8_t *frame, size_t length, struct ws_address *source,
					 struct ws_address *destination);

/* Whether the source or the destination lies in the prefix. */
bool frame_touches(const uint8_t *frame, size_t length, const struct ws_prefix *prefix);

/*
 * The same for all packets of a flow, tags and labels aside: of addresses, protocol and ports, the
 * latter unless the packet is a fragment. With `is_symmetrical` the same for both directions. 0 for
 * what is no IP.
 */
uint32_t frame_flow_hash(const uint8_t *frame, size_t length, bool is_symmetrical);

#endif
