/* SPDX-License-Identifier: Apache-2.0 */
/* Echo requests sent by the router itself. */
#pragma once

#include "wirespeed/address.h"

#include <stdint.h>

struct ws_router;

struct ws_echo {
	struct ws_address destination;
	int32_t interface; /* interface of the source address; -1: the egress interface */
	uint16_t payload_len;
};

/* A TSC of ws_tsc(). */
struct ws_echo_reply {
	struct ws_address source;
	uint16_t sequence, length; /* length of the ICMP message */
	uint8_t ttl;
	uint64_t tsc;
};

/* Send an echo request; returns its sequence number. */
int ws_router_echo(struct ws_router *router, const struct ws_echo *echo);
/* Take replies, oldest first. If the buffer is full, new replies replace the oldest. */
int ws_router_echo_replies(struct ws_router *router, struct ws_echo_reply *out, uint32_t max);
