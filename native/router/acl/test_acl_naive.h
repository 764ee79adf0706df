/* SPDX-License-Identifier: Apache-2.0 */
/* Random rules and packets, and an evaluator that applies rules one after the other. */
#pragma once

#include "router/acl/acl_key.h"
#include "tests/router_rig.h"

/* A number below `below`. SplitMix64, as published (Steele, Lea, Flood 2014). */
uint32_t acl_draw(uint32_t below);

/* Facts of a packet, with so few values that rules match. ICMP type and code are the ports. */
struct acl_facts {
	bool is_ip6, is_later_fragment, is_cut;
	uint8_t protocol, tcp_flags;
	uint8_t source[IP6_ADDRESS_LEN], destination[IP6_ADDRESS_LEN];
	uint16_t source_port, destination_port;
	uint16_t identifier; /* of ICMP */
};

struct acl_facts acl_draw_facts(void);
/* A random rule with an action below `actions`. */
struct ws_acl_rule acl_draw_rule(uint32_t actions);
/* The first rule that matches, or `count`. */
uint32_t acl_decide(const struct ws_acl_rule *rules, uint32_t count, const struct acl_facts *facts);
/* The packet, in a frame from host 1 to host 0 of the rig. */
struct frame acl_frame_of(const struct acl_facts *facts);
