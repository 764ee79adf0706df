/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets built once and sent many times, by reference and without reference counts.
 *
 * They live in a mempool whose "put" only counts: what a driver frees after sending stays where it
 * is. So the same packet may sit in a TX ring many times over, no counter is touched for it, and it
 * costs the worker a pointer. Drivers only read what they send; the exception is a ring port, whose
 * peer gets the very packet, so such ports are sent copies.
 */
#pragma once

#include <rte_mbuf.h>
#include <stdint.h>

/* Puts all `count` packets, of `room` bytes each, into `packets`. They lie in `bytes`; NULL: in
 * the pool itself. NULL when memory is short. */
struct rte_mempool *ready_pool_create(const char *name, uint32_t count, uint32_t room,
									  uint8_t *bytes, struct rte_mbuf **packets);
/* Number of times that a driver has given a packet back. */
uint64_t ready_pool_returned(const struct rte_mempool *pool);
