/* SPDX-License-Identifier: Apache-2.0 */
/* Teardowns: every packet is accounted for, and no buffer is in use except for held packets. */
#pragma once

#include "cmocka_all.h"
#include "tests/router_rig.h"

/* For tests that have taken all frames from the outputs. */
static inline int all_accounted(void **state)
{
	(void)state;
	struct ws_router_totals totals = rig_totals();
	assert_int_equal(totals.rx_packets + totals.made,
					 totals.tx_packets + totals.drops + totals.punts + totals.held);
	assert_int_equal(rig_buffers_in_use(), totals.held);
	return 0;
}

/* For tests that leave frames in the outputs. */
static inline int rest_accounted(void **state)
{
	while (rig_take(0).length || rig_take(1).length)
		;
	return all_accounted(state);
}
