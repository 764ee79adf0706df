/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that talks to the peers of all memif ports of the process. It runs while there is such
 * a port and sleeps while nothing changes. It does all work other than moving packets: it connects
 * and reconnects, performs the handshake, attaches rings to queues, and detaches them when the peer
 * disconnects.
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
	bool is_connected;               /* link state as set by the thread */
	struct memif_channel *channel;   /* the thread's: connection to the peer, or to a candidate */
	struct memif_listener *listener; /* a server's */
	struct memif_queue rx[WS_MAX_QUEUES], tx[WS_MAX_QUEUES];
	uint8_t tx_rings;     /* number of TX rings that the peer has */
	port_burst *transmit; /* sends in one of `tx` */
	bool lends;
	struct memif_lent lent; /* for a client with zero copy */
};

/* Main thread. The set of ports changes only while the thread is stopped, so it needs no lock. */
int memif_control_add(struct memif_port *port);
void memif_control_remove(struct memif_port *port);
