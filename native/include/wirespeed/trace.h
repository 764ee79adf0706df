/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of packets through a router, and captures into a file. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum ws_trace_acl_kind {
	WS_TRACE_NO_ACL, /* the step is of a packet that enters a node */
	WS_TRACE_ACL_RULE,
	WS_TRACE_ACL_NEW_SESSION,
	WS_TRACE_ACL_NO_ROOM, /* for a session that a rule would begin */
	WS_TRACE_ACL_SESSION,
	WS_TRACE_ACL_NO_RULE,
	WS_TRACE_ACL_NO_HEADER,
};

/* Decision of ACLs about a packet. -1 if no ACL and no rule decided; for a packet of a session the
 * rule is the session's number. */
struct ws_trace_acl {
	int32_t acl, rule;
	uint16_t interface, next;
	uint8_t kind;   /* enum ws_trace_acl_kind */
	uint8_t action; /* enum ws_acl_action */
};

/* Step of a traced packet: the node that it entered, the time, and its bytes there. A decision of
 * ACLs is a step of its own without bytes. */
struct ws_trace_step {
	uint32_t packet; /* counts from 0 per worker */
	uint64_t tsc;
	char node[WS_NAME_LEN];
	uint16_t rx_interface;
	int32_t tx_interface; /* -1 when not decided yet */
	uint32_t adjacency;   /* UINT32_MAX when not decided yet */
	uint16_t packet_len,
		byte_count; /* whole length; how much of it follows, from the Ethernet header */
	struct ws_trace_acl acl;
	uint8_t bytes[WS_TRACE_BYTES];
};

/* Trace the next `count` packets that enter node `node` (dpdk-input, …) on every worker. */
int ws_router_trace_add(struct ws_router *router, const char *node, uint32_t count);
int ws_router_trace(struct ws_router *router, uint16_t worker, uint64_t start,
					struct ws_trace_step *out, uint32_t max);
void ws_router_trace_clear(struct ws_router *router);

/* Mark none but packets with a source or destination in the prefix; NULL: any. */
int ws_router_trace_filter(struct ws_router *router, const struct ws_prefix *prefix);

/*
 * A capture of packets into a file, one at a time: as received, as sent, and as dropped, with the
 * Ethernet header that they then have. The main thread writes them in ws_router_poll.
 */
struct ws_pcap_config {
	bool rx, tx, drop;
	int32_t interface; /* -1: any; of dropped packets the receiving one */
	uint32_t max_packets;
	uint32_t snap_len; /* bytes of a packet to keep */
	bool has_filter;
	struct ws_prefix filter; /* only packets with a source or destination in it */
	int32_t fd;              /* to write to; it is duplicated */
};

struct ws_pcap_status {
	bool is_there, is_on; /* not on any more once it is full */
	uint32_t written, missed;
	int32_t error; /* errno of the file */
};

int ws_router_pcap_start(struct ws_router *router, const struct ws_pcap_config *config);
int ws_router_pcap_status(struct ws_router *router, struct ws_pcap_status *out);
int ws_router_pcap_stop(struct ws_router *router, struct ws_pcap_status *out);
