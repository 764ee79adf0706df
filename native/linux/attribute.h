/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of rtnetlink messages, and their addresses. */
#pragma once

#include "wirespeed/address.h"

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

/* Iterates over attributes within exactly `length` bytes; libmnl's own loops round that up. */
#define linux_for_each(at, bytes, length)                                                          \
	for ((at) = (const struct nlattr *)(const void *)(bytes);                                      \
		 mnl_attr_ok((at), (int)((const uint8_t *)(bytes) + (length) - (const uint8_t *)(at)));    \
		 (at) = mnl_attr_next(at))

/* 0 if the attribute is too short. */
uint32_t linux_attribute_u32(const struct nlattr *attribute);
/* Bytes of an address of AF_INET or AF_INET6; 0 for other families. */
uint8_t linux_address_size(uint8_t family);
void linux_address_set(struct ws_address *out, uint8_t family, const void *bytes);
/* False if the attribute is not an address of that family. */
bool linux_address_copy(struct ws_address *out, uint8_t family, const struct nlattr *attribute);
