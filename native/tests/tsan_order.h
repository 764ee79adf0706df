/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Included before each file that the thread sanitizer checks (tools/tsan.sh): DPDK's headers with
 * atomics in place of instructions and barriers, which it does not see. A producer of a ring waits
 * for the one before it without a declared order, which the supported CPUs provide anyway; here it
 * is declared.
 */
#pragma once

#define ALLOW_EXPERIMENTAL_API /* also requested by some files after this one */
#define RTE_USE_C11_MEM_MODEL
#define RTE_FORCE_INTRINSICS

#include <rte_config.h>
#include <rte_pause.h>

#define rte_wait_until_equal_32(address, value, order)                                             \
	rte_wait_until_equal_32(address, value, __ATOMIC_ACQUIRE)
