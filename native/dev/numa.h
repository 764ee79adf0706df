/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory on the NUMA node of its user. The main thread makes everything that workers use. Between
 * numa_for_worker and numa_for_all its new pages come from the node of the worker's CPU, and
 * numa_node returns that node for DPDK's allocations. A node that is full or forbidden is not an
 * error: memory then comes from another node.
 */
#pragma once

#include <stdint.h>

/* 0 on machines with one node, or if the node is unknown. */
int numa_of_worker(uint16_t worker);
void numa_for_worker(uint16_t worker);
void numa_for_all(void);
/* The `socket` argument for DPDK calls: the chosen node, or that of the calling thread. */
int numa_node(void);
