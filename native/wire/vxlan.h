/* SPDX-License-Identifier: Apache-2.0 */
/* The VXLAN header (RFC 7348 section 5). */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields are big endian. */
struct vxlan_header {
	uint32_t flags; /* all bits but VXLAN_HAS_VNI are reserved */
	uint32_t vni;   /* in the upper 24 bits */
} __attribute__((packed));

enum {
	VXLAN_LEN = 8,
	VXLAN_PORT = 4789,
	VXLAN_HAS_VNI = 0x08000000,
	VXLAN_VNI_SHIFT = 8,
	VXLAN_MAX_VNI = 0xffffff,
	/* Source ports that distinguish flows: the dynamic ones (section 5). */
	VXLAN_FIRST_SOURCE_PORT = 0xc000,
	VXLAN_SOURCE_PORT_BITS = 14,
};

/* NULL if the `length` readable bytes do not hold a whole header, or it has no VNI. */
static inline const struct vxlan_header *vxlan_parse(const uint8_t *bytes, size_t length)
{
	const struct vxlan_header *vxlan = (const struct vxlan_header *)(const void *)bytes;
	return length >= VXLAN_LEN && vxlan->flags & htobe32(VXLAN_HAS_VNI) ? vxlan : NULL;
}
