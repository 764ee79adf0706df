/* SPDX-License-Identifier: Apache-2.0 */
/* Next-hop objects in rtnetlink messages. */
#include "linux/route_message.h"

#include <stddef.h>
#include <string.h>

static void parse_group(const struct nlattr *attribute, struct linux_nexthop *out)
{
	const uint8_t *bytes = mnl_attr_get_payload(attribute);
	size_t length = mnl_attr_get_payload_len(attribute);
	/* Offset of the weight minus 1. Its high byte, which is 0 on old kernels, has no name in old
	 * headers. */
	enum { WEIGHT_AT = offsetof(struct nexthop_grp, weight) };
	out->member_count = 0;
	for (; length >= sizeof(struct nexthop_grp) && out->member_count < WS_MAX_PATHS;
		 bytes += sizeof(struct nexthop_grp), length -= sizeof(struct nexthop_grp)) {
		uint32_t weight = (uint32_t)(bytes[WEIGHT_AT] | bytes[WEIGHT_AT + 1] << 8) + 1;
		memcpy(&out->members[out->member_count].id, bytes, sizeof(uint32_t));
		out->members[out->member_count++].weight =
			(uint16_t)(weight > UINT16_MAX ? UINT16_MAX : weight);
	}
}

bool linux_nexthop_parse(const struct nhmsg *header, const void *attributes, size_t length,
						 struct linux_nexthop *out)
{
	const struct nlattr *at, *encap = NULL;
	bool is_mpls = false, is_of_bridge = false;
	linux_for_each(at, attributes, length)
	{
		switch (mnl_attr_get_type(at)) {
		case NHA_ID:
			out->id = linux_attribute_u32(at);
			break;
		case NHA_GROUP:
			parse_group(at, out);
			break;
		case NHA_BLACKHOLE:
			out->is_blackhole = true;
			break;
		case NHA_FDB:
			is_of_bridge = true;
			break;
		case NHA_OIF:
			out->path.link = (int32_t)linux_attribute_u32(at);
			break;
		case NHA_GATEWAY:
			linux_address_copy(&out->path.gateway, header->nh_family, at);
			break;
		case NHA_ENCAP_TYPE:
			is_mpls = linux_is_mpls(at);
			break;
		case NHA_ENCAP:
			encap = at;
			break;
		}
	}
	out->is_dead = header->nh_flags & RTNH_F_DEAD;
	if (is_mpls && encap)
		linux_encap_parse(&out->path, encap);
	return out->id && !is_of_bridge;
}
