/* SPDX-License-Identifier: Apache-2.0 */
/* ICMP extensions behind the quoted packet (RFC 4884): the label stack (RFC 4950). */
#pragma once

#include "wire/checksum.h"
#include "wire/mpls.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum {
	ICMP_EXTENSION_LEN = 4, /* version and checksum */
	ICMP_OBJECT_LEN = 4,    /* header of an object: length, class and type */
	ICMP_QUOTED_LEN = 128,  /* minimum length of the quoted packet in front of an extension */
	ICMP_EXTENSION_VERSION = 2 << 4,
	ICMP_LABEL_STACK_CLASS = 1,
	ICMP_INCOMING_STACK = 1,
};

static inline uint16_t icmp_label_stack_length(uint16_t entries)
{
	return (uint16_t)(ICMP_EXTENSION_LEN + ICMP_OBJECT_LEN + entries * MPLS_LEN);
}

/* Write the entries at `stack` in wire format. */
static inline void icmp_write_label_stack(uint8_t *bytes, const uint8_t *stack, uint16_t entries)
{
	uint16_t length = icmp_label_stack_length(entries);
	uint16_t object = htobe16((uint16_t)(length - ICMP_EXTENSION_LEN));
	memset(bytes, 0, ICMP_EXTENSION_LEN);
	bytes[0] = ICMP_EXTENSION_VERSION;
	memcpy(bytes + ICMP_EXTENSION_LEN, &object, sizeof(object));
	bytes[ICMP_EXTENSION_LEN + 2] = ICMP_LABEL_STACK_CLASS;
	bytes[ICMP_EXTENSION_LEN + 3] = ICMP_INCOMING_STACK;
	memcpy(bytes + ICMP_EXTENSION_LEN + ICMP_OBJECT_LEN, stack, (size_t)entries * MPLS_LEN);
	uint16_t sum = checksum(bytes, length);
	memcpy(bytes + 2, &sum, sizeof(sum));
}
