/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: flows that permit+reflect rules let through in both directions. */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum { WS_MOST_ACL_SESSIONS = 1 << 24, WS_MOST_ACL_TIMEOUT_S = 1 << 24 };

/* The UDP timeout applies to all protocols but TCP. A TCP session is transient until both ends have
 * sent a SYN, and from the first FIN or RST on; otherwise it is idle. */
enum ws_acl_timeout { WS_ACL_UDP_IDLE, WS_ACL_TCP_IDLE, WS_ACL_TCP_TRANSIENT, WS_ACL_TIMEOUTS };

struct ws_acl_session_settings {
	uint32_t most; /* maximum number of sessions */
	uint32_t timeouts_s[3];
};

/* Counted since the first reflecting rule was set. created = active + expired + deleted. */
struct ws_acl_session_counters {
	uint64_t created, active;
	uint64_t expired; /* no packet for longer than the timeout */
	uint64_t deleted; /* by command, or with their rules or interface */
	uint64_t refused; /* packets that would have created a session, but there was no room */
	uint64_t hits;    /* packets let through by a session, without a look at the rules */
};

struct ws_acl_interface_sessions {
	uint64_t created, gone;
};

/* Addresses and ports are those of the first packet. For ICMP the identifier is the source port. */
struct ws_acl_session {
	struct ws_address source, destination;
	uint16_t source_port, destination_port;
	uint16_t interface;
	bool is_output; /* the first packet left through the interface */
	uint8_t protocol;
	uint8_t source_tcp_flags,
		destination_tcp_flags; /* flags of all segments that each end has sent */
	uint32_t idle_s, timeout_s;
};

/* -EBUSY if `most` changes while a rule reflects, since the table then has its size. */
int ws_router_acl_session_set(struct ws_router *router,
							  const struct ws_acl_session_settings *wanted);
void ws_router_acl_session_settings(const struct ws_router *router,
									struct ws_acl_session_settings *out);
void ws_router_acl_session_counters(const struct ws_router *router,
									struct ws_acl_session_counters *out);
void ws_router_acl_interface_sessions(const struct ws_router *router, uint16_t index,
									  struct ws_acl_interface_sessions *out);
/* Up to `max` sessions from `cursor` on, which starts at 0; returns their number, 0 at the end. */
int ws_router_acl_sessions(const struct ws_router *router, uint32_t *cursor,
						   struct ws_acl_session *out, uint32_t max);
void ws_router_acl_sessions_clear(struct ws_router *router);
