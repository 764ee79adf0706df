/* SPDX-License-Identifier: Apache-2.0 */
#include "linux_messages.h"

#include <arpa/inet.h>
#include <linux/if.h>
#include <linux/lwtunnel.h>
#include <linux/mpls_iptunnel.h>
#include <linux/nexthop.h>
#include <stdbool.h>
#include <string.h>

static uint8_t buffer[4096] __attribute__((aligned(8)));
static const uint8_t mac[6] = {2, 0xaa, 0, 0, 0, 1};

static struct nlmsghdr *begin(uint16_t type, uint16_t flags)
{
	memset(buffer, 0, sizeof(buffer));
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	header->nlmsg_type = type;
	header->nlmsg_flags = flags;
	return header;
}

static void put_address(struct nlmsghdr *header, uint16_t type, uint8_t family, const char *text)
{
	uint8_t bytes[16];
	inet_pton(family, text, bytes);
	mnl_attr_put(header, type, family == AF_INET ? 4 : 16, bytes);
}

static void put_path(struct nlmsghdr *header, const struct route_spec *spec, int i)
{
	uint8_t family = spec->family ? spec->family : AF_INET;
	if (spec->paths[i].gateway)
		put_address(header, RTA_GATEWAY, family, spec->paths[i].gateway);
	if (spec->paths[i].label) {
		uint32_t entry = htonl(spec->paths[i].label << 12 | 1 << 8);
		struct nlattr *encap = mnl_attr_nest_start(header, RTA_ENCAP);
		mnl_attr_put(header, MPLS_IPTUNNEL_DST, sizeof(entry), &entry);
		mnl_attr_nest_end(header, encap);
		mnl_attr_put_u16(header, RTA_ENCAP_TYPE, LWTUNNEL_ENCAP_MPLS);
	}
}

static struct rtnexthop *begin_hop(struct nlmsghdr *header, int32_t link)
{
	struct rtnexthop *hop = mnl_nlmsg_get_payload_tail(header);
	header->nlmsg_len += sizeof(*hop);
	*hop = (struct rtnexthop){.rtnh_ifindex = link};
	return hop;
}

static void end_hop(const struct nlmsghdr *header, struct rtnexthop *hop)
{
	hop->rtnh_len = (uint16_t)((const char *)mnl_nlmsg_get_payload_tail(header) - (char *)hop);
}

static void put_multipath(struct nlmsghdr *header, const struct route_spec *spec)
{
	struct nlattr *nest = mnl_attr_nest_start(header, RTA_MULTIPATH);
	for (int i = 0; i < 4 && spec->paths[i].link; i++) {
		struct rtnexthop *hop = begin_hop(header, spec->paths[i].link);
		hop->rtnh_hops = spec->paths[i].hops;
		hop->rtnh_flags = spec->paths[i].flags;
		put_path(header, spec, i);
		end_hop(header, hop);
	}
	mnl_attr_nest_end(header, nest);
}

const struct nlmsghdr *route_message(uint16_t type, const struct route_spec *spec)
{
	struct nlmsghdr *header = begin(type, spec->flags);
	struct rtmsg *route = mnl_nlmsg_put_extra_header(header, sizeof(*route));
	uint8_t family = spec->family ? spec->family : AF_INET;
	route->rtm_family = family;
	route->rtm_dst_len = spec->length;
	route->rtm_protocol = spec->protocol ? spec->protocol : RTPROT_STATIC;
	route->rtm_type = spec->type ? spec->type : RTN_UNICAST;
	mnl_attr_put_u32(header, RTA_TABLE, spec->table ? spec->table : RT_TABLE_MAIN);
	if (spec->length)
		put_address(header, RTA_DST, family, spec->prefix);
	if (spec->metric)
		mnl_attr_put_u32(header, RTA_PRIORITY, spec->metric);
	if (spec->nexthop)
		mnl_attr_put_u32(header, RTA_NH_ID, spec->nexthop);
	if (spec->paths[1].link) {
		put_multipath(header, spec);
	} else if (spec->paths[0].link) {
		put_path(header, spec, 0);
		mnl_attr_put_u32(header, RTA_OIF, (uint32_t)spec->paths[0].link);
	}
	return header;
}

const struct nlmsghdr *nexthop_message(uint16_t type, const struct nexthop_spec *spec)
{
	struct nlmsghdr *header = begin(type, 0);
	struct nhmsg *nexthop = mnl_nlmsg_put_extra_header(header, sizeof(*nexthop));
	bool is_ip6 = spec->gateway && strchr(spec->gateway, ':');
	struct nexthop_grp members[4] = {0};
	size_t count = 0;
	nexthop->nh_family = is_ip6 ? AF_INET6 : AF_INET;
	mnl_attr_put_u32(header, NHA_ID, spec->id);
	for (; count < 4 && spec->members[count].id; count++)
		members[count] = (struct nexthop_grp){.id = spec->members[count].id,
											  .weight = (uint8_t)(spec->members[count].weight - 1)};
	if (count)
		mnl_attr_put(header, NHA_GROUP, count * sizeof(members[0]), members);
	else if (spec->link)
		mnl_attr_put_u32(header, NHA_OIF, (uint32_t)spec->link);
	else
		mnl_attr_put(header, NHA_BLACKHOLE, 0, NULL);
	if (spec->gateway)
		put_address(header, NHA_GATEWAY, nexthop->nh_family, spec->gateway);
	return header;
}

static void put_stack(struct nlmsghdr *header, uint16_t type, const uint32_t *labels, size_t most)
{
	uint32_t entries[16], count = 0;
	for (; count < most && labels[count]; count++)
		entries[count] = htonl(labels[count] << 12);
	if (!count)
		return;
	entries[count - 1] |= htonl(1 << 8);
	mnl_attr_put(header, type, count * sizeof(entries[0]), entries);
}

static void put_label_path(struct nlmsghdr *header, const struct label_spec *spec, int i)
{
	const char *via = spec->paths[i].via;
	put_stack(header, RTA_NEWDST, spec->paths[i].labels, 10);
	if (!via)
		return;
	uint16_t family = strchr(via, ':') ? AF_INET6 : AF_INET;
	uint8_t bytes[2 + 16];
	memcpy(bytes, &family, sizeof(family));
	inet_pton(family, via, bytes + sizeof(family));
	mnl_attr_put(header, RTA_VIA, sizeof(family) + (family == AF_INET ? 4 : 16), bytes);
}

const struct nlmsghdr *label_message(uint16_t type, const struct label_spec *spec)
{
	struct nlmsghdr *header = begin(type, 0);
	struct rtmsg *route = mnl_nlmsg_put_extra_header(header, sizeof(*route));
	const uint32_t stack[] = {spec->label, spec->label};
	route->rtm_family = AF_MPLS;
	route->rtm_dst_len = 20;
	route->rtm_table = RT_TABLE_MAIN;
	route->rtm_protocol = RTPROT_ZEBRA;
	route->rtm_type = RTN_UNICAST;
	put_stack(header, RTA_DST, stack, spec->stack ? spec->stack : 1);
	if (!spec->paths[1].link) {
		put_label_path(header, spec, 0);
		mnl_attr_put_u32(header, RTA_OIF, (uint32_t)spec->paths[0].link);
		return header;
	}
	struct nlattr *nest = mnl_attr_nest_start(header, RTA_MULTIPATH);
	for (int i = 0; i < 4 && spec->paths[i].link; i++) {
		struct rtnexthop *hop = begin_hop(header, spec->paths[i].link);
		put_label_path(header, spec, i);
		end_hop(header, hop);
	}
	mnl_attr_nest_end(header, nest);
	return header;
}

static struct nlmsghdr *begin_link(uint16_t type, int32_t link, const char *name, bool is_up)
{
	struct nlmsghdr *header = begin(type, 0);
	struct ifinfomsg *info = mnl_nlmsg_put_extra_header(header, sizeof(*info));
	info->ifi_index = link;
	info->ifi_flags = is_up ? IFF_UP | IFF_RUNNING : 0;
	mnl_attr_put_strz(header, IFLA_IFNAME, name);
	mnl_attr_put_u32(header, IFLA_MTU, 1500);
	mnl_attr_put(header, IFLA_ADDRESS, sizeof(mac), mac);
	return header;
}

const struct nlmsghdr *link_message(uint16_t type, int32_t link, const char *name, bool is_up)
{
	return begin_link(type, link, name, is_up);
}

const struct nlmsghdr *vlan_message(int32_t link, int32_t parent, uint16_t id)
{
	struct nlmsghdr *header = begin_link(RTM_NEWLINK, link, "e0.100", true);
	mnl_attr_put_u32(header, IFLA_LINK, (uint32_t)parent);
	struct nlattr *info = mnl_attr_nest_start(header, IFLA_LINKINFO);
	mnl_attr_put_strz(header, IFLA_INFO_KIND, "vlan");
	struct nlattr *data = mnl_attr_nest_start(header, IFLA_INFO_DATA);
	mnl_attr_put_u16(header, IFLA_VLAN_PROTOCOL, htons(0x88a8));
	mnl_attr_put_u16(header, IFLA_VLAN_ID, id);
	mnl_attr_nest_end(header, data);
	mnl_attr_nest_end(header, info);
	return header;
}

const struct nlmsghdr *address_message(uint16_t type, int32_t link, const char *address,
									   uint8_t length)
{
	struct nlmsghdr *header = begin(type, 0);
	struct ifaddrmsg *info = mnl_nlmsg_put_extra_header(header, sizeof(*info));
	uint8_t family = strchr(address, ':') ? AF_INET6 : AF_INET;
	info->ifa_family = family;
	info->ifa_prefixlen = length;
	info->ifa_index = (uint32_t)link;
	put_address(header, IFA_ADDRESS, family, address);
	if (family == AF_INET)
		put_address(header, IFA_LOCAL, family, address);
	return header;
}

const struct nlmsghdr *neighbor_message(uint16_t type, int32_t link, const char *address,
										uint16_t state)
{
	struct nlmsghdr *header = begin(type, 0);
	struct ndmsg *info = mnl_nlmsg_put_extra_header(header, sizeof(*info));
	uint8_t family = strchr(address, ':') ? AF_INET6 : AF_INET;
	info->ndm_family = family;
	info->ndm_ifindex = link;
	info->ndm_state = state;
	put_address(header, NDA_DST, family, address);
	if (state & (NUD_REACHABLE | NUD_STALE | NUD_PERMANENT))
		mnl_attr_put(header, NDA_LLADDR, sizeof(mac), mac);
	return header;
}
