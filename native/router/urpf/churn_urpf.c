/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: modes of interfaces, and accepted sources. */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/routes.h"
#include "wirespeed/urpf.h"

/* IPv4 sources are looked up in a table of their own; some are accepted. */
static void sources(struct ws_router *router, uint64_t *row, bool on)
{
	enum { TABLE = 6 };
	const struct ws_urpf_accepted accepted[] = {{TABLE, PREFIX(10, 0, 0, 8, 30)},
												{TABLE, PREFIX(10, 0, 2, 0, 29)},
												{0, PREFIX(11, 0, 0, 0, 8)}};
	const struct ws_route route = {
		.table = TABLE,
		.prefix = PREFIX(10, 0, 0, 0, 29),
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, churn_draw(row, 3), 2), .interface = 0}},
	};
	static struct ws_urpf_accepted seen[8];
	if (on) {
		churn_expect(ws_router_table_add(router, WS_IP4, TABLE, "sources"), "table");
		churn_expect(ws_router_route_add(router, &route, false), "route of sources");
	}
	for (uint16_t i = 0; i < CHURN_FAR; i++) {
		int32_t mode = on ? (int32_t)churn_draw(row, WS_URPF_STRICT + 1) : WS_URPF_OFF;
		churn_expect(ws_router_set_urpf(router, i, WS_IP4, churn_draw(row, 2), mode, TABLE),
					 "uRPF");
	}
	for (size_t i = 0; i < RTE_DIM(accepted); i++)
		churn_expect(ws_router_set_urpf_accept(router, &accepted[i], on), "accepted sources");
	churn_expect(ws_router_urpf_accepted(router, seen, RTE_DIM(seen)), "accepted sources read");
	if (on)
		return;
	for (uint16_t i = 0; i < CHURN_FAR; i++)
		for (int is_tx = 0; is_tx < 2; is_tx++)
			churn_expect(ws_router_set_urpf(router, i, WS_IP4, is_tx, WS_URPF_OFF, -1), "no uRPF");
	churn_expect(ws_router_route_del_many(router, TABLE, route.prefix, WS_SOURCE_STATIC, 1),
				 "route of sources away");
	churn_expect(ws_router_table_del(router, WS_IP4, TABLE), "table away");
}

static void reverse_path_of(struct ws_router *router, uint64_t *row, bool on, uint16_t index,
							uint8_t family)
{
	for (int is_tx = 0; is_tx < 2; is_tx++) {
		int32_t mode = on ? (int32_t)churn_draw(row, WS_URPF_STRICT + 1) : WS_URPF_OFF;
		churn_expect(ws_router_set_urpf(router, index, family, is_tx, mode, -1), "uRPF");
	}
}

static void reverse_path(struct ws_router *router, uint64_t *row, bool on)
{
	for (uint16_t i = 0; i < CHURN_FAR; i++)
		reverse_path_of(router, row, on, i, WS_IP6);
	reverse_path_of(router, row, on, CHURN_SHM, WS_IP4);
}
CHURN(sources)
CHURN(reverse_path)
