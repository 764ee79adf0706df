/* SPDX-License-Identifier: Apache-2.0 */
/* Ports for the data plane. Port i has DPDK's port id i, which packets carry in mbuf->port. */
#ifndef DEV_PORT_H
#define DEV_PORT_H

#include "dev/tap.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_spinlock.h>
#include <stdbool.h>
#include <stdint.h>

/* One past the highest port; those deleted leave holes. */
uint16_t ports_count(void);
bool port_is_open(uint16_t port);
/* -ENODEV, said in the error text, when it is not. */
int port_check(uint16_t port);
bool port_link_is_up(uint16_t port);
const char *port_name(uint16_t port);
uint16_t port_rx_queues(uint16_t port);
uint16_t port_tx_queues(uint16_t port);

/*
 * The TX queue that a worker sends in. Where a port has fewer than there are workers some share
 * one, and take its lock; `lock` is NULL in a queue of one's own.
 */
struct port_tx {
	uint16_t queue;
	rte_spinlock_t *lock;
};
struct port_tx port_tx_of(uint16_t port, uint16_t worker);

/* The ports whose driver leaves in mbuf->port what the sender had there. */
extern bool ports_keep_sender[RTE_MAX_ETHPORTS];
/* The ports at whose other end a thread may sleep. */
extern bool ports_have_thread[RTE_MAX_ETHPORTS];

static inline uint16_t port_receive(uint16_t port, uint16_t queue, struct rte_mbuf **packets,
									uint16_t n)
{
	n = rte_eth_rx_burst(port, queue, packets, n);
	if (__builtin_expect(ports_keep_sender[port], 0))
		for (uint16_t i = 0; i < n; i++)
			packets[i]->port = port;
	return n;
}

/* Returns how many the driver took; the rest stay the caller's. */
static inline uint16_t port_transmit(uint16_t port, uint16_t queue, struct rte_mbuf **packets,
									 uint16_t n)
{
	n = rte_eth_tx_burst(port, queue, packets, n);
	if (__builtin_expect(ports_have_thread[port], 0))
		tap_wake();
	return n;
}

#endif
