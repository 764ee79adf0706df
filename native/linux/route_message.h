/* SPDX-License-Identifier: Apache-2.0 */
/* Routes as rtnetlink tells them, and what all parsers of attributes share. */
#ifndef LINUX_ROUTE_MESSAGE_H
#define LINUX_ROUTE_MESSAGE_H

#include "linux/message.h"

#include <libmnl/libmnl.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

/* Attributes within exactly `length` bytes; libmnl's own loops round that up. */
#define linux_for_each(at, bytes, length)                                                          \
	for ((at) = (const struct nlattr *)(const void *)(bytes);                                      \
		 mnl_attr_ok((at), (int)((const uint8_t *)(bytes) + (length) - (const uint8_t *)(at)));    \
		 (at) = mnl_attr_next(at))

/* 0 for one that is too short. */
uint32_t linux_attribute_u32(const struct nlattr *attribute);
/* Bytes of an address of AF_INET or AF_INET6; 0 for other families. */
uint8_t linux_address_size(uint8_t family);
void linux_address_set(struct ws_address *out, uint8_t family, const void *bytes);
/* False when the attribute is no address of that family. */
bool linux_address_copy(struct ws_address *out, uint8_t family, const struct nlattr *attribute);

/* Whether the attribute says that labels are pushed, and those that another one holds. */
bool linux_is_mpls(const struct nlattr *encap_type);
void linux_encap_parse(struct linux_path *path, const struct nlattr *encap);

/* False for one that cannot be read or is of another family. */
bool linux_route_parse(const struct rtmsg *header, const void *attributes, size_t length,
					   struct linux_route *out);
/* The route of a label; false for one that cannot be read or is none. */
bool linux_label_parse(const struct rtmsg *header, const void *attributes, size_t length,
					   struct linux_label *out);
/* False for one that leads no packets of IP. */
bool linux_nexthop_parse(const struct nhmsg *header, const void *attributes, size_t length,
						 struct linux_nexthop *out);

#endif
