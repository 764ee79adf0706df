/* SPDX-License-Identifier: Apache-2.0 */
/* Internet checksums of eight packets at once. Sums are in wire byte order, as in checksum.h. */
#pragma once

#include <stdint.h>

enum { LANES = 8 };

typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* Each sum as one of at most 17 bits. */
static inline lanes fold_lanes(lanes sum)
{
	return (sum & 0xffff) + (sum >> 16);
}

/*
 * The values for checksum fields that were 0, of sums that are not 0. `udp`: 1 for UDP, where a
 * checksum of 0 is sent as 0xffff (RFC 768), else 0. The sum is increased by `udp` before it is
 * folded, and the result after it, so that 0xffff is never folded to a checksum of 0.
 */
static inline lanes finish_lanes(lanes sum, uint32_t udp)
{
	return 0xffff + udp - fold_lanes(fold_lanes(sum + udp));
}
