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

/* The highest port number + 1; deleted ports leave gaps. */
uint16_t ports_count(void);
bool port_is_open(uint16_t port);
/* Returns -ENODEV with an error text if the port is not open. */
int port_check(uint16_t port);
bool port_link_is_up(uint16_t port);
const char *port_name(uint16_t port);
uint16_t port_rx_queues(uint16_t port);
uint16_t port_tx_queues(uint16_t port);
/* True if the peer gets the sent packets themselves, not copies, and may change them. */
bool port_hands_over(uint16_t port);

/*
 * The TX queue of a worker. If a port has fewer queues than there are workers, some workers share
 * one and take its lock; `lock` is NULL for a queue with one user.
 */
struct port_tx {
	uint16_t queue;
	rte_spinlock_t *lock;
};
struct port_tx port_tx_of(uint16_t port, uint16_t worker);

/* From now on one worker sends, through queue 0, and packets are distributed by flow over all
 * queues whose peer can tell them apart. Call it while no worker runs. */
void port_spread(uint16_t port);

/*
 * Memory of the port for packets to send: its peer reads them in place, and they come back once it
 * has. NULL: there is none, and packets are copied. Main thread. The memory must be returned once
 * no driver holds a packet in it.
 */
void *port_lend(uint16_t port, uint64_t bytes);
void port_end_loan(uint16_t port, const void *memory);

/* The interface is up: start to receive, if reception waits for that. */
void port_is_up(uint16_t port);

/* ---- Work on a device; no worker may use it during that ---- */

/* True if the port has a device that can be stopped. */
bool port_stops(uint16_t port);
/*
 * port_shut: from now on workers find a port that receives nothing and takes nothing; port_unshut:
 * the real one again. Workers may still be in the port when this returns: wait for all of them
 * before the device is touched.
 */
void port_shut(uint16_t port);
void port_unshut(uint16_t port);
bool port_is_shut(uint16_t port);
/* Only for a shut port. */
int port_set_running(uint16_t port, bool on);
/* True if the driver requests a reset. */
bool port_wants_reset(uint16_t port);
/* Reset the device of a shut port. After an error, which has an error text, call port_let_go. */
int port_reset(uint16_t port);
/* True if the device was removed, or is about to be, and port_let_go was not called yet. */
bool port_is_leaving(uint16_t port);
/* Close the device of a shut port. The port stays down, with its counters, until it is deleted. */
void port_let_go(uint16_t port);

/* True if the port can admit selected multicast groups. */
bool port_filters_groups(uint16_t port);
/*
 * Request the multicast frames of `count` groups only, or all if `count` is 0 (the default). NICs
 * that cannot filter admit more.
 */
void port_set_groups(uint16_t port, const uint8_t (*groups)[6], uint32_t count);

/* The port must be open. A counter is UINT64_MAX if its driver has none. */
void port_pause_frames(uint16_t port, uint64_t *received, uint64_t *sent);

/* ---- Packets: for the workers ---- */

/* Move up to `n` packets through one queue of a port kind; returns their number. */
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

/* Returns how many packets the port took; the caller keeps the rest. */
static inline uint16_t port_transmit(uint16_t port, uint16_t queue, struct rte_mbuf **packets,
									 uint16_t n)
{
	const struct port_path *path = &port_paths[port];
	return path->transmit(path->tx[queue], packets, n);
}

/* ---- Sleeping until packets come ---- */

/* True if new packets ring the bell of the worker that listens. */
bool port_rings_bell(uint16_t port);
/* Add the queue's descriptor to an epoll set of DPDK, for `worker`; -ENOTSUP if the port cannot
 * signal packets. */
int port_listen(uint16_t port, uint16_t queue, int epoll, uint16_t worker);
void port_ignore(uint16_t port, uint16_t queue, int epoll, uint16_t worker);
/* Make the descriptor readable when packets come, or no longer. */
void port_arm(uint16_t port, uint16_t queue, bool on);
/* True if packets came before the queue was armed. False for kinds that cannot tell. */
bool port_has_packets(uint16_t port, uint16_t queue);
/* Slots of an RX ring that a peer's CPU fills; 0 if packets come in another way. */
uint32_t port_shared_slots(uint16_t port, uint16_t queue);
