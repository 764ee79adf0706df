/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: sampled ports. */
#include "tests/churn_changes.h"
#include "tests/churn_rig.h"
#include "wirespeed/sflow.h"

static void samples(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_sflow_settings wanted = {.sampling_rate = 1 + churn_draw(row, 20),
											 .header_bytes = 128,
											 .direction = WS_SFLOW_RX + (int)churn_draw(row, 3)};
	churn_expect(ws_router_sflow_set(router, &wanted), "sFlow");
	churn_expect(ws_router_sflow_enable(router, 0, on), "sFlow of e0");
	churn_expect(ws_router_sflow_enable(router, 1, on), "sFlow of e1");
}

static void taken(struct ws_router *router, uint64_t *row)
{
	static struct ws_sflow_sample samples_taken[16];
	(void)row;
	ws_router_sflow_take(router, samples_taken, 16);
}
CHURN(samples)
CHURN_READ(taken)
