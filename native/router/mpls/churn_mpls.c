/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: routes of labels. */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/mpls.h"
#include "wirespeed/routes.h"

static void labels(struct ws_router *router, uint64_t *row, bool on)
{
	if (on)
		churn_expect(ws_router_mpls_table_add(router), "MPLS table");
	for (uint16_t i = 0; i < 3; i++)
		churn_expect(on ? ws_router_set_mpls(router, i, true) : 0, "MPLS");
	for (uint32_t i = 0; i < CHURN_LABELS - 1; i++) {
		struct ws_route paths = churn_route(row, PREFIX(49, 0, 0, 0, 8));
		struct ws_mpls_route route = {.label = CHURN_FIRST_LABEL + i,
									  .bottom = true,
									  .payload = WS_IP4,
									  .path_count = 1,
									  .paths = {paths.paths[0]}};
		route.paths[0].label_count = (uint8_t)(i % 2);
		route.paths[0].labels[0] = 2000;
		route.paths[0].interface = route.paths[0].next_hop.bytes[2];
		churn_expect(on ? ws_router_mpls_route_set(router, &route)
						: ws_router_mpls_route_del(router, route.label, true),
					 "label");
	}
	for (uint16_t i = 0; i < 3; i++)
		churn_expect(on ? 0 : ws_router_set_mpls(router, i, false), "no MPLS");
	if (!on)
		churn_expect(ws_router_mpls_table_del(router), "no MPLS table");
}
CHURN(labels)
