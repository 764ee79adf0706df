/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers that one thread gives back and another one gets, in the eyes of the thread sanitizer:
 * between them is DPDK's ring of free buffers, in a library that is not instrumented, so that the
 * order which it makes is told here. Nothing in other builds.
 */
#pragma once

/* Once, before ports are opened. */
void pool_order_tell(void);
