/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: an impaired port. */
#include "tests/churn_changes.h"
#include "tests/churn_rig.h"
#include "wirespeed/impairment.h"

static void impairment(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_impairment wanted = {
		.loss = 0.1,
		.duplicate = 0.1,
		.reorder = 0.1,
		.delay_ns = churn_draw(row, 2) ? 500000 : 0,
		.seed = 1,
	};
	churn_expect(on ? ws_router_set_impairment(router, 1, &wanted)
					: ws_router_clear_impairment(router, 1),
				 "impairment");
}
CHURN(impairment)
