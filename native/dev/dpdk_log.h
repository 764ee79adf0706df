/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines of DPDK, kept to explain failures whose code says too little (drivers return -1 for any
 * error). */
#pragma once

#include <stdbool.h>

/* From now on DPDK's lines are kept, or shown at standard error. Before and after `rte_eal_init`,
 * which sets its own. */
void dpdk_log_keep(bool shown);
/* Forgets what was said. */
void dpdk_log_clear(void);
/* Why it failed, in DPDK's words since then: the last line that a driver said, or else the last of
 * all; "" where nothing was said. It holds until the next call. */
const char *dpdk_log_reason(void);
