/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In front of each file that the thread sanitizer looks at (tools/tsan.sh): DPDK's headers with
 * atomics in the place of instructions and barriers, which it does not see.
 *
 * A producer of a ring waits for the one before it without order, which the CPUs that we know give
 * it anyway; here it is told.
 */
#pragma once

#define ALLOW_EXPERIMENTAL_API /* of the files that ask for it themselves, after this one */
#define RTE_USE_C11_MEM_MODEL
#define RTE_FORCE_INTRINSICS

#include <rte_config.h>
#include <rte_pause.h>

#define rte_wait_until_equal_32(address, value, order)                                             \
	rte_wait_until_equal_32(address, value, __ATOMIC_ACQUIRE)
