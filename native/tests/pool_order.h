/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order between a thread that frees a buffer and one that allocates it, for the thread sanitizer.
 * DPDK's ring of free buffers makes this order, but it is in a library that is not instrumented, so
 * it is declared here. Empty in other builds.
 */
#pragma once

/* Call this once, before ports are opened. */
void pool_order_tell(void);
