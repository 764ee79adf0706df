/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines of DPDK, kept to explain failures whose code says too little (drivers return -1 for any
 * error). */
#pragma once

#include <stdbool.h>

/* Keep DPDK's log lines from now on, or show them on standard error. Called before and after
 * `rte_eal_init`, which sets a stream of its own. */
void dpdk_log_keep(bool shown);
/* Forget the lines that were kept. */
void dpdk_log_clear(void);
/* The reason for a failure: the last line that a driver logged since dpdk_log_clear, or the last
 * line of any kind if no driver logged one; "" if there is none. Valid until the next call. */
const char *dpdk_log_reason(void);
