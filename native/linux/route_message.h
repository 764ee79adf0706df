/* SPDX-License-Identifier: Apache-2.0 */
/* Routes and next-hop objects in rtnetlink messages. */
#pragma once

#include "linux/attribute.h"
#include "linux/message.h"

#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

/* RTA_ENCAP_TYPE is MPLS; then linux_encap_parse reads the labels to push from RTA_ENCAP. */
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
