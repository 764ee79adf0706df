/* SPDX-License-Identifier: Apache-2.0 */
/* Population of the memory of DPDK's memif driver. */
#pragma once

/*
 * Have all rings that are mapped now in memory. Linux gives a page when it is first touched, which
 * costs microseconds, and a ring's first lap touches thousands: a worker would take the first
 * packets at a fraction of its speed. Call it when a link came up. Harmless where it was done
 * already, without effect on kernels before 5.14.
 */
void memif_populate_rings(void);
