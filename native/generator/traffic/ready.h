/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that are built once and sent many times, by reference and without reference counts. They
 * are in a mempool whose "put" operation only counts, so a packet that a driver frees stays in
 * place. The same packet may be in a TX ring many times: sending it updates no counter in it and
 * costs the worker one pointer. Drivers only read packets that they send. A ring port is the
 * exception, since its peer gets the packet itself; such ports are sent copies.
 */
#pragma once

#include <rte_mbuf.h>
#include <stdint.h>

/* Store all `count` packets of `room` bytes each in `packets`. Their data is in `bytes`; NULL: in
 * the pool itself. Returns NULL if memory is short. */
struct rte_mempool *ready_pool_create(const char *name, uint32_t count, uint32_t room,
									  uint8_t *bytes, struct rte_mbuf **packets);
/* How often a driver has returned a packet. */
uint64_t ready_pool_returned(const struct rte_mempool *pool);
