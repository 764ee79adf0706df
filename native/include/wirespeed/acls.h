/* SPDX-License-Identifier: Apache-2.0 */
/* Access lists: ordered rules; the first that matches a packet decides. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum {
	WS_MAX_ACL_RULES = 16384,    /* rules per ACL */
	WS_MAX_INTERFACE_ACLS = 128, /* that one direction of an interface has */
	WS_ACL_TAG_LEN = 64,
};

/* PERMIT_REFLECT permits the packet and from then on all packets of its session, in both directions
 * of the interface (acl_sessions.h). */
enum ws_acl_action { WS_ACL_DENY, WS_ACL_PERMIT, WS_ACL_PERMIT_REFLECT };

/* For packets of one family, that of both prefixes, and one protocol, or any (0). Ports are those
 * of TCP, UDP and SCTP; of ICMP the type is the source and the code the destination. */
struct ws_acl_rule {
	uint8_t action; /* enum ws_acl_action */
	uint8_t protocol;
	uint8_t tcp_flags_mask, tcp_flags_value;
	uint16_t source_first, source_last, destination_first, destination_last;
	struct ws_prefix source, destination;
};

struct ws_acl_count {
	uint64_t packets, bytes;
};

/*
 * Make an ACL (index -1), or put these rules in the place of those that it has: a packet meets the
 * old ones or the new ones, and the rules' counters begin at 0. Returns its index.
 */
int ws_router_acl_set(struct ws_router *router, int32_t index, const char *tag,
					  const struct ws_acl_rule *rules, uint32_t count);
/* -EEXIST while an interface has it. */
int ws_router_acl_del(struct ws_router *router, uint32_t index);
/* The lowest index from `from` on that has an ACL; -ENOENT when there is none. */
int ws_router_acl_next(struct ws_router *router, uint32_t from);
/* Returns how many rules it has, and gives the first `max` of them. `tag` has WS_ACL_TAG_LEN bytes.
 */
int ws_router_acl(struct ws_router *router, uint32_t index, char *tag, struct ws_acl_rule *out,
				  struct ws_acl_count *counts, uint32_t max);
/* The ACLs that packets meet, in that order, coming in by the interface or leaving by it; a packet
 * that no rule of them fits is denied. Without any, all pass. */
int ws_router_acl_interface_set(struct ws_router *router, uint16_t index, bool is_output,
								const uint32_t *acls, uint32_t count);
/* Returns how many there are; `out` has room for WS_MAX_INTERFACE_ACLS. */
int ws_router_acl_interface(struct ws_router *router, uint16_t index, bool is_output,
							uint32_t *out);
