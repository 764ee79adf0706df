/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/attribute.h"

#include <string.h>
#include <sys/socket.h>

uint32_t linux_attribute_u32(const struct nlattr *attribute)
{
	uint32_t value = 0;
	if (mnl_attr_get_payload_len(attribute) >= sizeof(value))
		memcpy(&value, mnl_attr_get_payload(attribute), sizeof(value));
	return value;
}

uint8_t linux_address_size(uint8_t family)
{
	return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
}

void linux_address_set(struct ws_address *out, uint8_t family, const void *bytes)
{
	*out = (struct ws_address){.family = family == AF_INET ? WS_IP4 : WS_IP6};
	memcpy(out->bytes, bytes, linux_address_size(family));
}

bool linux_address_copy(struct ws_address *out, uint8_t family, const struct nlattr *attribute)
{
	uint8_t size = linux_address_size(family);
	if (!size || mnl_attr_get_payload_len(attribute) != size)
		return false;
	linux_address_set(out, family, mnl_attr_get_payload(attribute));
	return true;
}
