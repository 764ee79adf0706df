/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that talks to the peers of all memif ports of the process. It runs while there is one,
 * asleep while nothing changes, and does all that is not a packet: connects and connects again,
 * shakes hands, hands rings to queues and takes them away when the other side goes.
 */
#pragma once

#include "dev/memif/bursts.h"
#include "dev/memif/queue.h"

struct memif_channel;
struct memif_listener;

struct memif_port {
	char path[108]; /* the socket's path; "@…" is an abstract one */
	char secret[MEMIF_SECRET_LEN + 1], name[MEMIF_NAME_LEN];
	enum memif_role role;
	uint32_t id;
	uint8_t log2_slots;
	uint16_t rx_count, tx_count;
	bool is_connected;               /* the thread's word for the link */
	struct memif_channel *channel;   /* the thread's: to the peer, or to whoever may become it */
	struct memif_listener *listener; /* a server's */
	struct memif_queue rx[WS_MAX_QUEUES], tx[WS_MAX_QUEUES];
	uint8_t tx_rings;     /* that the peer has, of those to send in */
	port_burst *transmit; /* into one of `tx` */
	bool lends;
	struct memif_lent lent; /* a client's that lends */
};

/* Main thread. The set of ports changes only while the thread is stopped, so it needs no lock. */
int memif_control_add(struct memif_port *port);
void memif_control_remove(struct memif_port *port);
