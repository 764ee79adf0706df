/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/message.h"

#include "linux/route_message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

static uint16_t attribute_u16(const struct nlattr *attribute)
{
	uint16_t value = 0;
	if (mnl_attr_get_payload_len(attribute) >= sizeof(value))
		memcpy(&value, mnl_attr_get_payload(attribute), sizeof(value));
	return value;
}

static void copy_text(char *out, size_t size, const struct nlattr *attribute)
{
	size_t length = strnlen(mnl_attr_get_payload(attribute), mnl_attr_get_payload_len(attribute));
	snprintf(out, size, "%.*s", (int)length, (const char *)mnl_attr_get_payload(attribute));
}

static bool copy_mac(uint8_t *out, const struct nlattr *attribute)
{
	if (mnl_attr_get_payload_len(attribute) != 6)
		return false;
	memcpy(out, mnl_attr_get_payload(attribute), 6);
	return true;
}

/* ---- Links ---- */

static void parse_vlan(const struct nlattr *data, struct ws_linux_link *link)
{
	const struct nlattr *at;
	link->vlan_protocol = 0x8100;
	linux_for_each(at, mnl_attr_get_payload(data), mnl_attr_get_payload_len(data))
	{
		if (mnl_attr_get_type(at) == IFLA_VLAN_ID)
			link->vlan_id = attribute_u16(at);
		else if (mnl_attr_get_type(at) == IFLA_VLAN_PROTOCOL)
			link->vlan_protocol = ntohs(attribute_u16(at));
	}
}

static void parse_link_info(const struct nlattr *info, struct ws_linux_link *link)
{
	const struct nlattr *at, *data = NULL;
	linux_for_each(at, mnl_attr_get_payload(info), mnl_attr_get_payload_len(info))
	{
		if (mnl_attr_get_type(at) == IFLA_INFO_KIND)
			copy_text(link->kind, sizeof(link->kind), at);
		else if (mnl_attr_get_type(at) == IFLA_INFO_DATA)
			data = at;
	}
	if (data && !strcmp(link->kind, "vlan"))
		parse_vlan(data, link);
}

static enum linux_kind parse_link(const struct ifinfomsg *header, const void *attributes,
								  size_t length, struct linux_message *out)
{
	struct ws_linux_link *link = &out->link;
	const struct nlattr *at;
	/* Bridges report their ports by messages of the same type. */
	if (header->ifi_family != AF_UNSPEC)
		return LINUX_OTHER;
	link->index = header->ifi_index;
	link->is_up = header->ifi_flags & IFF_UP;
	out->has_carrier = header->ifi_flags & IFF_RUNNING;
	linux_for_each(at, attributes, length)
	{
		switch (mnl_attr_get_type(at)) {
		case IFLA_IFNAME:
			copy_text(link->name, sizeof(link->name), at);
			break;
		case IFLA_MTU:
			link->mtu = linux_attribute_u32(at);
			break;
		case IFLA_LINK:
			link->parent = (int32_t)linux_attribute_u32(at);
			break;
		case IFLA_ADDRESS:
			copy_mac(link->mac, at);
			break;
		case IFLA_LINKINFO:
			parse_link_info(at, link);
			break;
		}
	}
	return LINUX_LINK;
}

/* ---- Addresses and neighbours ---- */

static enum linux_kind parse_address(const struct ifaddrmsg *header, const void *attributes,
									 size_t length, struct ws_linux_address *out)
{
	const struct nlattr *at;
	bool has_local = false, found = false;
	out->link = (int32_t)header->ifa_index;
	out->prefix.length = header->ifa_prefixlen;
	linux_for_each(at, attributes, length)
	{
		/* On a point-to-point link IFA_ADDRESS is the peer's address; otherwise it equals
		 * IFA_LOCAL. */
		if (mnl_attr_get_type(at) == IFA_LOCAL)
			has_local |= linux_address_copy(&out->prefix.address, header->ifa_family, at);
		else if (mnl_attr_get_type(at) == IFA_ADDRESS && !has_local)
			found |= linux_address_copy(&out->prefix.address, header->ifa_family, at);
	}
	return (has_local || found) && out->prefix.length <= 8 * linux_address_size(header->ifa_family)
			   ? LINUX_ADDRESS
			   : LINUX_OTHER;
}

static enum linux_kind parse_neighbor(const struct ndmsg *header, const void *attributes,
									  size_t length, struct linux_neighbor *out)
{
	const uint16_t usable = NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT;
	const struct nlattr *at;
	bool has_mac = false, found = false;
	if (header->ndm_flags & NTF_PROXY)
		return LINUX_OTHER;
	out->link = header->ndm_ifindex;
	linux_for_each(at, attributes, length)
	{
		if (mnl_attr_get_type(at) == NDA_DST)
			found |= linux_address_copy(&out->address, header->ndm_family, at);
		else if (mnl_attr_get_type(at) == NDA_LLADDR)
			has_mac |= copy_mac(out->mac, at);
	}
	out->is_known = has_mac && header->ndm_state & usable;
	out->is_heard = header->ndm_state & NUD_REACHABLE;
	out->has_failed = header->ndm_state & NUD_FAILED;
	out->is_permanent = header->ndm_state & NUD_PERMANENT;
	return found ? LINUX_NEIGHBOR : LINUX_OTHER;
}

/* ---- All ---- */

static bool is_removal(uint16_t type)
{
	return type == RTM_DELLINK || type == RTM_DELADDR || type == RTM_DELNEIGH ||
		   type == RTM_DELROUTE || type == RTM_DELNEXTHOP;
}

static enum linux_kind parse_payload(const struct nlmsghdr *header, size_t length,
									 struct linux_message *out)
{
	static const struct {
		uint16_t type;
		uint8_t size;
	} fixed[] = {
		{RTM_NEWLINK, sizeof(struct ifinfomsg)}, {RTM_DELLINK, sizeof(struct ifinfomsg)},
		{RTM_NEWADDR, sizeof(struct ifaddrmsg)}, {RTM_DELADDR, sizeof(struct ifaddrmsg)},
		{RTM_NEWNEIGH, sizeof(struct ndmsg)},    {RTM_DELNEIGH, sizeof(struct ndmsg)},
		{RTM_NEWROUTE, sizeof(struct rtmsg)},    {RTM_DELROUTE, sizeof(struct rtmsg)},
		{RTM_NEWNEXTHOP, sizeof(struct nhmsg)},  {RTM_DELNEXTHOP, sizeof(struct nhmsg)},
	};
	const uint8_t *payload = mnl_nlmsg_get_payload(header);
	size_t skip = 0, rest = 0;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (fixed[i].type == header->nlmsg_type)
			skip = fixed[i].size;
	if (!skip || length < skip)
		return LINUX_OTHER;
	rest = length > MNL_ALIGN(skip) ? length - MNL_ALIGN(skip) : 0;
	const void *attributes = payload + MNL_ALIGN(skip);
	switch (header->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return parse_link((const void *)payload, attributes, rest, out);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return parse_address((const void *)payload, attributes, rest, &out->address);
	case RTM_NEWNEIGH:
	case RTM_DELNEIGH:
		return parse_neighbor((const void *)payload, attributes, rest, &out->neighbor);
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		return linux_nexthop_parse((const void *)payload, attributes, rest, &out->nexthop)
				   ? LINUX_NEXTHOP
				   : LINUX_OTHER;
	default:
		if (length && ((const struct rtmsg *)(const void *)payload)->rtm_family == AF_MPLS)
			return linux_label_parse((const void *)payload, attributes, rest, &out->label)
					   ? LINUX_LABEL
					   : LINUX_OTHER;
		out->route.is_appended = header->nlmsg_flags & NLM_F_APPEND;
		return linux_route_parse((const void *)payload, attributes, rest, &out->route)
				   ? LINUX_ROUTE
				   : LINUX_OTHER;
	}
}

/* The kernel ends an aborted dump like any other dump, except for the error number. */
static enum linux_kind parse_done(const struct nlmsghdr *header, size_t length, int32_t *error)
{
	if (length >= sizeof(*error))
		memcpy(error, mnl_nlmsg_get_payload(header), sizeof(*error));
	return LINUX_DONE;
}

static enum linux_kind parse_error(const struct nlmsghdr *header, size_t length, int32_t *error)
{
	*error = -EPROTO;
	if (length >= sizeof(*error))
		memcpy(error, mnl_nlmsg_get_payload(header), sizeof(*error));
	return *error ? LINUX_ERROR : LINUX_OTHER;
}

size_t linux_message_parse(const void *bytes, size_t length, struct linux_message *out)
{
	const struct nlmsghdr *header = bytes;
	memset(out, 0, sizeof(*out));
	if (length < sizeof(*header) || header->nlmsg_len < sizeof(*header) ||
		header->nlmsg_len > length)
		return 0;
	size_t payload = header->nlmsg_len - sizeof(*header), whole = MNL_ALIGN(header->nlmsg_len);
	out->sequence = header->nlmsg_seq;
	out->is_interrupted = header->nlmsg_flags & NLM_F_DUMP_INTR;
	out->is_removal = is_removal(header->nlmsg_type);
	if (header->nlmsg_type == NLMSG_DONE)
		out->kind = parse_done(header, payload, &out->error);
	else if (header->nlmsg_type == NLMSG_ERROR)
		out->kind = parse_error(header, payload, &out->error);
	else
		out->kind = parse_payload(header, payload, out);
	return whole < length ? whole : length;
}
