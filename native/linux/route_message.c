/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/route_message.h"
#include "wirespeed/routes.h"

#include <arpa/inet.h>
#include <linux/lwtunnel.h>
#include <linux/mpls.h>
#include <linux/mpls_iptunnel.h>
#include <string.h>

enum { LABEL_BITS = 20 };

/* A label stack, the outermost label first; 32 bits per label. */
static void copy_labels(struct linux_path *path, const void *entries, size_t length)
{
	path->label_count = 0;
	if (length > 4 * WS_MAX_LABELS) {
		path->label_count = WS_MAX_LABELS + 1;
		return;
	}
	for (size_t at = 0; at + 4 <= length; at += 4) {
		uint32_t entry;
		memcpy(&entry, (const uint8_t *)entries + at, sizeof(entry));
		path->labels[path->label_count++] = ntohl(entry) >> MPLS_LS_LABEL_SHIFT;
	}
}

bool linux_is_mpls(const struct nlattr *encap_type)
{
	return mnl_attr_get_payload_len(encap_type) >= 2 &&
		   *(const uint16_t *)mnl_attr_get_payload(encap_type) == LWTUNNEL_ENCAP_MPLS;
}

void linux_encap_parse(struct linux_path *path, const struct nlattr *encap)
{
	const struct nlattr *at;
	linux_for_each(at, mnl_attr_get_payload(encap), mnl_attr_get_payload_len(encap))
	{
		if (mnl_attr_get_type(at) == MPLS_IPTUNNEL_DST)
			copy_labels(path, mnl_attr_get_payload(at), mnl_attr_get_payload_len(at));
	}
}

/* A next hop of another family than the route. */
static void parse_via(struct linux_path *path, const struct nlattr *attribute)
{
	uint16_t length = mnl_attr_get_payload_len(attribute), family;
	const uint8_t *bytes = mnl_attr_get_payload(attribute);
	if (length < sizeof(family))
		return;
	memcpy(&family, bytes, sizeof(family));
	if (linux_address_size((uint8_t)family) &&
		length == sizeof(family) + linux_address_size((uint8_t)family))
		linux_address_set(&path->gateway, (uint8_t)family, bytes + sizeof(family));
}

/* Parse one path: in the route itself, or in a member of RTA_MULTIPATH. */
static void parse_path(struct linux_path *path, uint8_t family, const void *attributes,
					   size_t length)
{
	const struct nlattr *at, *encap = NULL;
	bool is_mpls = false;
	linux_for_each(at, attributes, length)
	{
		switch (mnl_attr_get_type(at)) {
		case RTA_OIF:
			path->link = (int32_t)linux_attribute_u32(at);
			break;
		case RTA_GATEWAY:
			linux_address_copy(&path->gateway, family, at);
			break;
		case RTA_VIA:
			parse_via(path, at);
			break;
		case RTA_NEWDST:
			copy_labels(path, mnl_attr_get_payload(at), mnl_attr_get_payload_len(at));
			break;
		case RTA_ENCAP_TYPE:
			is_mpls = linux_is_mpls(at);
			break;
		case RTA_ENCAP:
			encap = at;
			break;
		}
	}
	if (is_mpls && encap)
		linux_encap_parse(path, encap);
}

/* Parse up to WS_MAX_PATHS paths. */
static void parse_multipath(struct linux_path *paths, uint16_t *count, uint8_t family,
							const struct nlattr *attribute)
{
	const uint8_t *bytes = mnl_attr_get_payload(attribute);
	size_t left = mnl_attr_get_payload_len(attribute);
	while (left >= sizeof(struct rtnexthop) && *count < WS_MAX_PATHS) {
		const struct rtnexthop *hop = (const void *)bytes;
		if (hop->rtnh_len < sizeof(*hop) || hop->rtnh_len > left)
			return;
		if (!(hop->rtnh_flags & RTNH_F_DEAD)) {
			struct linux_path *path = &paths[(*count)++];
			memset(path, 0, sizeof(*path));
			path->link = hop->rtnh_ifindex;
			path->weight = hop->rtnh_hops + 1;
			parse_path(path, family, bytes + sizeof(*hop), hop->rtnh_len - sizeof(*hop));
		}
		size_t step = MNL_ALIGN(hop->rtnh_len);
		if (step >= left)
			return;
		bytes += step;
		left -= step;
	}
}

/* Parse a route with one path in its own attributes. */
static void parse_only_path(struct linux_path *paths, uint16_t *count, uint8_t family,
							const void *attributes, size_t length)
{
	*count = 1;
	memset(&paths[0], 0, sizeof(paths[0]));
	paths[0].weight = 1;
	parse_path(&paths[0], family, attributes, length);
}

static bool set_kind(struct linux_route *route, uint8_t type)
{
	static const int32_t kinds[] = {
		[RTN_UNICAST] = WS_PATH_NEXT_HOP,
		[RTN_BLACKHOLE] = WS_PATH_DROP,
		[RTN_UNREACHABLE] = WS_PATH_UNREACHABLE,
		[RTN_PROHIBIT] = WS_PATH_PROHIBIT,
	};
	if (type != RTN_UNICAST && type != RTN_BLACKHOLE && type != RTN_UNREACHABLE &&
		type != RTN_PROHIBIT)
		return false;
	route->kind = kinds[type];
	return true;
}

bool linux_route_parse(const struct rtmsg *header, const void *attributes, size_t length,
					   struct linux_route *out)
{
	const struct nlattr *at;
	uint8_t family = header->rtm_family;
	if (!linux_address_size(family) || header->rtm_dst_len > 8 * linux_address_size(family))
		return false;
	out->prefix.address.family = family == AF_INET ? WS_IP4 : WS_IP6;
	out->prefix.length = header->rtm_dst_len;
	out->table = header->rtm_table;
	out->path_count = 0;
	linux_for_each(at, attributes, length)
	{
		switch (mnl_attr_get_type(at)) {
		case RTA_DST:
			if (!linux_address_copy(&out->prefix.address, family, at))
				return false;
			break;
		case RTA_TABLE:
			out->table = linux_attribute_u32(at);
			break;
		case RTA_PRIORITY:
			out->metric = linux_attribute_u32(at);
			break;
		case RTA_MULTIPATH:
			parse_multipath(out->paths, &out->path_count, family, at);
			break;
		case RTA_NH_ID:
			out->nexthop = linux_attribute_u32(at);
			break;
		}
	}
	/* The router's tables have no routes by source or type of service. */
	out->is_ours = set_kind(out, header->rtm_type) && !(header->rtm_flags & RTM_F_CLONED) &&
				   header->rtm_protocol != RTPROT_KERNEL &&
				   header->rtm_protocol != RTPROT_REDIRECT && out->table != RT_TABLE_LOCAL &&
				   !header->rtm_src_len && !header->rtm_tos;
	if (out->is_ours && !out->path_count && !(header->rtm_flags & RTNH_F_DEAD))
		parse_only_path(out->paths, &out->path_count, family, attributes, length);
	return true;
}

/* ---- Labels ---- */

/* Parse a stack of one entry, the route's label. */
static bool parse_label(const struct nlattr *attribute, uint32_t *label)
{
	uint32_t entry;
	if (mnl_attr_get_payload_len(attribute) != sizeof(entry))
		return false;
	memcpy(&entry, mnl_attr_get_payload(attribute), sizeof(entry));
	*label = ntohl(entry) >> MPLS_LS_LABEL_SHIFT;
	return true;
}

bool linux_label_parse(const struct rtmsg *header, const void *attributes, size_t length,
					   struct linux_label *out)
{
	const struct nlattr *at;
	bool has_label = false;
	if (header->rtm_family != AF_MPLS || header->rtm_dst_len != LABEL_BITS ||
		header->rtm_type != RTN_UNICAST)
		return false;
	out->path_count = 0;
	linux_for_each(at, attributes, length)
	{
		if (mnl_attr_get_type(at) == RTA_DST)
			has_label = parse_label(at, &out->label);
		else if (mnl_attr_get_type(at) == RTA_MULTIPATH)
			parse_multipath(out->paths, &out->path_count, AF_MPLS, at);
	}
	if (!out->path_count && !(header->rtm_flags & RTNH_F_DEAD))
		parse_only_path(out->paths, &out->path_count, AF_MPLS, attributes, length);
	return has_label;
}
