/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses of a frame, also behind VLAN tags and MPLS labels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_prefix;

/* True if the source or the destination is in the prefix. */
bool frame_touches(const uint8_t *frame, size_t length, const struct ws_prefix *prefix);

/* Offset of the IP header, or `length` if there is none. */
size_t frame_find_ip(const uint8_t *frame, size_t length);
