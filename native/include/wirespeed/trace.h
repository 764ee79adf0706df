/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of packets through a router, and captures into a file. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum ws_trace_acl_kind {
	WS_TRACE_NO_ACL, /* the packet enters a node */
	WS_TRACE_ACL_RULE,
	WS_TRACE_ACL_NEW_SESSION,
	WS_TRACE_ACL_NO_ROOM, /* no room for a session of a rule */
	WS_TRACE_ACL_SESSION,
	WS_TRACE_ACL_NO_RULE,
	WS_TRACE_ACL_NO_HEADER,
};

/* Decision of ACLs about a packet. -1 if no ACL and no rule decided; for a packet of a session
 * `rule` is the session's number. */
struct ws_trace_acl {
	int32_t acl, rule;
	uint16_t interface, next;
	uint8_t kind;   /* enum ws_trace_acl_kind */
	uint8_t action; /* enum ws_acl_action */
};

/* A step of a traced packet: the node that it enters, the time, and its bytes there. A decision of
 * ACLs is a separate step without bytes. */
struct ws_trace_step {
	uint32_t packet; /* counts from 0 per worker */
	uint64_t tsc;
	char node[WS_NAME_LEN];
	uint16_t rx_interface;
	int32_t tx_interface; /* -1: not decided yet */
	uint32_t adjacency;   /* UINT32_MAX: not decided yet */
	uint16_t packet_len,
		byte_count; /* whole length; number of bytes that follow, from the Ethernet header on */
	struct ws_trace_acl acl;
	uint8_t bytes[WS_TRACE_BYTES];
};

/* Trace the next `count` packets that enter node `node` (dpdk-input, …) on every worker. */
int ws_router_trace_add(struct ws_router *router, const char *node, uint32_t count);
int ws_router_trace(struct ws_router *router, uint16_t worker, uint64_t start,
					struct ws_trace_step *out, uint32_t max);
void ws_router_trace_clear(struct ws_router *router);

/* Trace only packets with a source or destination in the prefix; NULL: all packets. */
int ws_router_trace_filter(struct ws_router *router, const struct ws_prefix *prefix);

/*
 * A capture of received, sent and dropped packets into a file, one at a time. Packets are stored
 * with the Ethernet header that they have at that point. The main thread writes them in
 * ws_router_poll.
 */
struct ws_pcap_config {
	bool rx, tx, drop;
	int32_t interface; /* -1: any; for dropped packets the receiving interface */
	uint32_t max_packets;
	uint32_t snap_len; /* number of bytes to keep of a packet */
	bool has_filter;
	struct ws_prefix filter; /* only packets with a source or destination in this prefix */
	int32_t fd;              /* file to write to; it is duplicated */
};

struct ws_pcap_status {
	bool is_there, is_on; /* is_on becomes false when the file is full */
	uint32_t written, missed;
	int32_t error; /* errno of a write to the file */
};

int ws_router_pcap_start(struct ws_router *router, const struct ws_pcap_config *config);
int ws_router_pcap_status(struct ws_router *router, struct ws_pcap_status *out);
int ws_router_pcap_stop(struct ws_router *router, struct ws_pcap_status *out);
