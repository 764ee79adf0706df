/* SPDX-License-Identifier: Apache-2.0 */
/* Bridge domains and their learnt MAC addresses. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

struct ws_bridge_domain {
	uint32_t id;                          /* 1 to 2^24 - 1 */
	bool learn, forward, flood, uu_flood; /* uu_flood: flood frames to unknown unicast addresses */
	uint8_t age_min;                      /* minutes until a learnt address expires; 0: never */
	int32_t bvi;                          /* interface or -1; read only */
};

/* Make or change a bridge domain. */
int ws_router_bridge_domain_set(struct ws_router *router, const struct ws_bridge_domain *domain);
int ws_router_bridge_domain_del(struct ws_router *router, uint32_t id);
/* Returns the number of bridge domains. */
int ws_router_bridge_domains(struct ws_router *router, struct ws_bridge_domain *out, uint32_t max);

struct ws_l2fib_entry {
	uint32_t domain;
	uint8_t mac[6];
	int32_t interface; /* -1: frames to it are dropped */
	bool is_static;
	uint32_t age_s; /* time since its last frame; for learnt entries */
};

int ws_router_l2fib_add(struct ws_router *router, const struct ws_l2fib_entry *entry); /* static */
int ws_router_l2fib_del(struct ws_router *router, const uint8_t *mac, uint32_t domain);
void ws_router_l2fib_flush(struct ws_router *router); /* learnt entries only */
/* The next entries from *cursor on, which starts at 0; returns their number, 0 at the end. */
int ws_router_l2fib(struct ws_router *router, uint32_t *cursor, struct ws_l2fib_entry *out,
					uint32_t max);
