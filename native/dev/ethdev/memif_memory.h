/* SPDX-License-Identifier: Apache-2.0 */
/* Population of the memory of DPDK's memif driver. */
#pragma once

/*
 * Fault in the pages of all rings that are mapped now. Linux maps a page at its first access, which
 * costs microseconds, and the first lap of a ring touches thousands of pages: a worker would
 * receive the first packets at a fraction of its speed. Call it when a link has come up. Repeated
 * calls are harmless. No effect on kernels before 5.14.
 */
void memif_populate_rings(void);
