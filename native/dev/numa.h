/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory on the NUMA node of its user.
 *
 * The main thread makes all that workers use. Between numa_for_worker and numa_for_all its new
 * pages come from the node that the worker's CPU is at, and numa_node names that node for what
 * DPDK allocates. A node that is full or forbidden is no error: then memory comes from another one.
 */
#pragma once

#include <stdint.h>

/* 0 where there is one node, or none is told. */
int numa_of_worker(uint16_t worker);
void numa_for_worker(uint16_t worker);
void numa_for_all(void);
/* The `socket` argument for calls of DPDK: the chosen node, else that of the calling thread. */
int numa_node(void);
