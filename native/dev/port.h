/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port layer: the interface of router and generator to ports of every kind (port_kind.h).
 * Received packets have the port's number in mbuf->port.
 */
#pragma once

#include "wirespeed/limits.h"

#include <rte_mbuf.h>
#include <rte_spinlock.h>
#include <stdbool.h>
#include <stdint.h>

/* The highest port + 1; deleted ports leave holes. */
uint16_t ports_count(void);
bool port_is_open(uint16_t port);
/* -ENODEV, said in the error text, when it is not. */
int port_check(uint16_t port);
bool port_link_is_up(uint16_t port);
const char *port_name(uint16_t port);
uint16_t port_rx_queues(uint16_t port);
uint16_t port_tx_queues(uint16_t port);
/* Its peer gets the very packets that are sent, and may change them. */
bool port_hands_over(uint16_t port);

/*
 * The TX queue that a worker sends in. Where a port has fewer than there are workers some share
 * one, and take its lock; `lock` is NULL in a queue of one's own.
 */
struct port_tx {
	uint16_t queue;
	rte_spinlock_t *lock;
};
struct port_tx port_tx_of(uint16_t port, uint16_t worker);

/* From now on, while no worker runs: one worker sends, in queue 0, and fills by flow as many queues
 * as there are, where their peer tells them apart. */
void port_spread(uint16_t port);

/*
 * Memory of the port's in which packets may lie that are sent by it: its peer reads them there, and
 * their buffers come back when it has. NULL: there is none, and nothing is lost but a copy. Main
 * thread; what was lent is given back when no driver holds a packet in it any more.
 */
void *port_lend(uint16_t port, uint64_t bytes);
void port_end_loan(uint16_t port, const void *memory);

/* Its interface is up: receive, if that is what reception waits for. */
void port_is_up(uint16_t port);

/* ---- Work on a device that no worker may touch meanwhile ---- */

/* It has a device that can be stopped. */
bool port_stops(uint16_t port);
/*
 * From now on workers find a port that brings nothing and takes nothing, or the real one again.
 * They may be in it yet when this returns: wait for all of them before the device is touched.
 */
void port_shut(uint16_t port);
void port_unshut(uint16_t port);
bool port_is_shut(uint16_t port);
/* Only for a port that is shut. */
int port_set_running(uint16_t port, bool on);
/* Its driver says that nothing but a reset helps its device. */
bool port_wants_reset(uint16_t port);
/* Begins anew with the device of a port that is shut; after an error, which has its line, let go of
 * it. */
int port_reset(uint16_t port);
/* Its device was taken out, or is about to be, and the port has not been let go of yet. */
bool port_is_leaving(uint16_t port);
/* Let go of the device of a port that is shut. The port stays as one that is down for good, with
 * its counters, until it is deleted. */
void port_let_go(uint16_t port);

/* It can let in some multicast frames and not others. */
bool port_filters_groups(uint16_t port);
/*
 * Request the multicast frames of `count` groups only, or all if `count` is 0 (the default). NICs
 * that cannot filter let more in.
 */
void port_set_groups(uint16_t port, const uint8_t (*groups)[6], uint32_t count);

/* The port must be open. A counter is UINT64_MAX if its driver has none. */
void port_pause_frames(uint16_t port, uint64_t *received, uint64_t *sent);

/* ---- Packets: the workers' ---- */

/* Moves up to `n` packets through one queue of the kind's own, and returns how many. */
typedef uint16_t port_burst(void *queue, struct rte_mbuf **packets, uint16_t n);

struct port_path {
	port_burst *receive, *transmit;
	void *rx[WS_MAX_QUEUES], *tx[WS_MAX_QUEUES];
};
extern struct port_path port_paths[WS_MAX_PORTS];

static inline uint16_t port_receive(uint16_t port, uint16_t queue, struct rte_mbuf **packets,
									uint16_t n)
{
	const struct port_path *path = &port_paths[port];
	return path->receive(path->rx[queue], packets, n);
}

/* Returns how many the port took; the rest stay the caller's. */
static inline uint16_t port_transmit(uint16_t port, uint16_t queue, struct rte_mbuf **packets,
									 uint16_t n)
{
	const struct port_path *path = &port_paths[port];
	return path->transmit(path->tx[queue], packets, n);
}

/* ---- Sleeping until packets come ---- */

/* The bell of the worker that listens rings when packets come. */
bool port_rings_bell(uint16_t port);
/* Add the queue's descriptor to an epoll set of DPDK's, for `worker`; -ENOTSUP when nothing tells
 * of its packets. */
int port_listen(uint16_t port, uint16_t queue, int epoll, uint16_t worker);
void port_ignore(uint16_t port, uint16_t queue, int epoll, uint16_t worker);
/* The descriptor becomes readable when packets come, or no longer. */
void port_arm(uint16_t port, uint16_t queue, bool on);
/* Packets came before it was armed. Kinds that cannot tell say no. */
bool port_has_packets(uint16_t port, uint16_t queue);
/* Slots of an RX ring that a peer's CPU fills; 0: there is none, or packets come in another way. */
uint32_t port_shared_slots(uint16_t port, uint16_t queue);
