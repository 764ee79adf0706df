/* SPDX-License-Identifier: Apache-2.0 */
/* Access lists: ordered rules; the first rule that matches a packet decides. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum {
	WS_MAX_ACL_RULES = 16384,    /* rules per ACL */
	WS_MAX_INTERFACE_ACLS = 128, /* per direction of an interface */
	WS_ACL_TAG_LEN = 64,
};

/* PERMIT_REFLECT permits the packet and all later packets of its session, in both directions of the
 * interface (acl_sessions.h). */
enum ws_acl_action { WS_ACL_DENY, WS_ACL_PERMIT, WS_ACL_PERMIT_REFLECT };

/* A rule for packets of one family, that of both prefixes, and of one protocol or any (0). Ports
 * are those of TCP, UDP and SCTP; for ICMP the source port is the type and the destination port the
 * code. */
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
 * Make an ACL (index -1) or replace the rules of one. Each packet meets either the old or the new
 * rules; their counters start at 0. Returns the index.
 */
int ws_router_acl_set(struct ws_router *router, int32_t index, const char *tag,
					  const struct ws_acl_rule *rules, uint32_t count);
/* -EEXIST while an interface uses it. */
int ws_router_acl_del(struct ws_router *router, uint32_t index);
/* The lowest index of an ACL from `from` on; -ENOENT if there is none. */
int ws_router_acl_next(struct ws_router *router, uint32_t from);
/* Returns the number of rules and copies the first `max` of them. `tag` has WS_ACL_TAG_LEN bytes.
 */
int ws_router_acl(struct ws_router *router, uint32_t index, char *tag, struct ws_acl_rule *out,
				  struct ws_acl_count *counts, uint32_t max);
/* Set the ACLs, in order, for packets received or sent by the interface. A packet that matches no
 * rule is denied. Without ACLs all packets pass. */
int ws_router_acl_interface_set(struct ws_router *router, uint16_t index, bool is_output,
								const uint32_t *acls, uint32_t count);
/* Returns the number of ACLs; `out` has room for WS_MAX_INTERFACE_ACLS. */
int ws_router_acl_interface(struct ws_router *router, uint16_t index, bool is_output,
							uint32_t *out);
