/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: a tunnel. */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/vxlan.h"

static void tunnel(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	const struct ws_vxlan_tunnel wanted = {
		.source = ADDRESS(10, 0, 0, 1), .destination = ADDRESS(10, 0, 0, 2), .vni = CHURN_VNI};
	(void)row;
	if (!on) {
		churn_delete(router, index);
		return;
	}
	index = churn_made(ws_router_vxlan_add(router, &wanted), "tunnel");
	churn_come_up(router, index, PREFIX(10, 201, 0, 1, 24));
}
CHURN(tunnel)
