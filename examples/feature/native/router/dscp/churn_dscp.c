/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: interfaces that count by DSCP. */
#include "tests/churn_changes.h"
#include "tests/churn_rig.h"
#include "wirespeed/dscp.h"

static void dscp(struct ws_router *router, uint64_t *row, bool on)
{
	churn_expect(ws_router_set_dscp(router, (uint16_t)churn_draw(row, CHURN_WIRES), on), "DSCP");
}
CHURN(dscp)

static void dscp_counts(struct ws_router *router, uint64_t *row)
{
	uint64_t counts[WS_DSCP_VALUES];
	(void)row;
	ws_router_dscp_counts(router, counts);
}
CHURN_READ(dscp_counts)
