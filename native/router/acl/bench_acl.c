/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of access lists and sessions. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wire/address.h"
#include "wire/ip4.h"
#include "wirespeed/acls.h"
#include "wirespeed/interfaces.h"

enum { RULES = 1000, SESSION_FLOWS = 4096 };

/* Fewer flows, which is realistic for sessions: some ten thousand with ten routes. */
static void aim_session(uint8_t *header, uint32_t route, uint32_t flow)
{
	aim_ip4(header, route, flow % SESSION_FLOWS);
}

/* A thousand rules, of which only the last one matches. */
static void make_acl(struct ws_router *router, enum ws_acl_action action)
{
	static struct ws_acl_rule rules[RULES];
	for (uint32_t i = 0; i < RULES; i++)
		rules[i] = (struct ws_acl_rule){
			.action = WS_ACL_DENY,
			.protocol = IP4_UDP,
			.source_last = UINT16_MAX,
			.destination_first = (uint16_t)(1 + i),
			.destination_last = (uint16_t)(1 + i + i % 100),
			.source = {address_of_ip4(10u << 24 | i << 12), 20},
			.destination = {address_of_ip4(route_address(i)), route_length(i)},
		};
	rules[RULES - 1] = (struct ws_acl_rule){
		.action = action,
		.source_last = UINT16_MAX,
		.destination_last = UINT16_MAX,
		.source.address.family = WS_IP4,
		.destination.address.family = WS_IP4,
	};
	int acl = ws_router_acl_set(router, -1, "bench", rules, RULES);
	bench_expect(RTE_MIN(acl, 0));
	bench_expect(ws_router_acl_interface_set(router, 0, false, (uint32_t[]){(uint32_t)acl}, 1));
}

static void permit(struct ws_router *router)
{
	make_acl(router, WS_ACL_PERMIT);
}

static void reflect_all(struct ws_router *router)
{
	make_acl(router, WS_ACL_PERMIT_REFLECT);
}

static const char *const acl_nodes[] = {"ethernet-input", "ip4-input",   "acl-plugin-in-ip4-fa",
										"ip4-lookup",     "ip4-rewrite", "e1-output"};

static struct node_path acl = {
	.name = "acl",
	NODE_PATH_NODES(acl_nodes),
	.is_alone = true,
	.make = make_ip4,
	.aim = aim_session,
	.prepare = permit,
};
NODE_PATH(acl)

static struct node_path reflect = {
	.name = "reflect",
	NODE_PATH_NODES(acl_nodes),
	.is_alone = true,
	.make = make_ip4,
	.aim = aim_session,
	.prepare = reflect_all,
};
NODE_PATH(reflect)
