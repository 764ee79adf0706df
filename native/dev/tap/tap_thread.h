/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that serves all TAPs of the process. It runs while there is one. */
#pragma once

#include "wire/own_count.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_ring;

/* Written by the thread only. Packets to Linux are tx, as seen from the port. */
struct tap_counts {
	struct own_pair rx, tx;
	uint64_t rx_missed, rx_no_buffer, tx_errors;
};

struct tap {
	int fd;
	uint16_t port;
	bool alive;      /* the interface exists; cleared by the thread */
	bool readable;   /* the thread's own: frames may wait in the kernel */
	uint16_t poller; /* the worker that polls `from_host` */
	struct rte_ring *to_host, *from_host;
	struct tap_counts counts;
};

/* Main thread. The set of TAPs changes only while the thread is stopped, so it needs no lock. */
int tap_thread_add(struct tap *tap);
void tap_thread_remove(struct tap *tap);

/* A worker has put frames into a TAP's ring. */
void tap_wake(void);
