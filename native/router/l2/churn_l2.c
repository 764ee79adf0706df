/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: cross-connects and bridge domains. */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/bridges.h"
#include "wirespeed/interfaces.h"

enum { DOMAIN = 9, BVI = 9 };

static void cross_connect(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t ends[2];
	(void)row;
	for (uint16_t i = 0; i < 2; i++)
		if (on)
			ends[i] = churn_vlan_on(router, i, CHURN_FIRST_VLAN + 1);
	for (uint16_t i = 0; i < 2 && on; i++)
		churn_expect(ws_router_set_xconnect(router, ends[i], ends[!i]), "cross-connect");
	for (uint16_t i = 0; i < 2 && !on; i++)
		churn_expect(ws_router_set_l3(router, ends[i]), "no cross-connect");
	for (uint16_t i = 0; i < 2 && !on; i++)
		churn_delete(router, ends[i]);
}

/* Three VLANs whose tags are popped, and a BVI. */
static void bridge(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t ports[3], bvi;
	const struct ws_tag_rewrite pop = {.pop = 1};
	(void)row;
	if (on) {
		for (uint16_t i = 0; i < 3; i++) {
			ports[i] = churn_vlan_on(router, i, CHURN_FIRST_VLAN + 2);
			churn_expect(ws_router_set_bridge(router, ports[i], DOMAIN, false, 0), "bridge");
			churn_expect(ws_router_set_tag_rewrite(router, ports[i], &pop), "rewrite");
		}
		bvi = churn_made(ws_router_loopback_add(router, BVI, NULL), "loopback");
		churn_expect(ws_router_set_bridge(router, bvi, DOMAIN, true, 0), "BVI");
		churn_come_up(router, bvi, PREFIX(10, CHURN_FIRST_VLAN + 2, 0, 1, 24));
		return;
	}
	ws_router_l2fib_flush(router);
	churn_expect(ws_router_set_l3(router, bvi), "BVI out");
	churn_delete(router, bvi);
	for (uint16_t i = 0; i < 3; i++) {
		churn_expect(ws_router_set_l3(router, ports[i]), "out of the bridge");
		churn_delete(router, ports[i]);
	}
	churn_expect(ws_router_bridge_domain_del(router, DOMAIN), "domain away");
}

/* Random settings of the bridge domain, with or without the bridge. */
static void domain(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_bridge_domain wanted = {
		.id = DOMAIN,
		.learn = !on || churn_draw(row, 2),
		.forward = !on || churn_draw(row, 2),
		.flood = !on || churn_draw(row, 2),
		.uu_flood = !on || churn_draw(row, 2),
	};
	churn_expect(ws_router_bridge_domain_set(router, &wanted), "domain");
}
CHURN(cross_connect)
CHURN(bridge)
CHURN(domain)
