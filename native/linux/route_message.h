/* SPDX-License-Identifier: Apache-2.0 */
/* Routes and next-hop objects in rtnetlink messages. */
#pragma once

#include "linux/attribute.h"
#include "linux/message.h"

#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

/* True if RTA_ENCAP_TYPE is MPLS; linux_encap_parse then reads the labels to push from RTA_ENCAP.
 */
bool linux_is_mpls(const struct nlattr *encap_type);
void linux_encap_parse(struct linux_path *path, const struct nlattr *encap);

/* False if the message is malformed or of another family. */
bool linux_route_parse(const struct rtmsg *header, const void *attributes, size_t length,
					   struct linux_route *out);
/* Parse the route of a label; false if the message is malformed or has no label. */
bool linux_label_parse(const struct rtmsg *header, const void *attributes, size_t length,
					   struct linux_label *out);
/* False if the object does not lead IP packets anywhere. */
bool linux_nexthop_parse(const struct nhmsg *header, const void *attributes, size_t length,
						 struct linux_nexthop *out);
