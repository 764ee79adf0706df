/* SPDX-License-Identifier: Apache-2.0 */
/* The generator's own state: ports and workers. */
#ifndef GENERATOR_GENERATOR_H
#define GENERATOR_GENERATOR_H

#include "generator/mailbox.h"
#include "wirespeed.h"

/* A port as its worker sees it; only that worker touches it while the workers run. */
struct generator_port {
	uint16_t index;
	uint64_t rx_packets, rx_bytes;
	uint64_t tx_packets, tx_bytes; /* bytes with FCS */
	uint64_t asked_packets, refused_packets, late_packets;
} __attribute__((aligned(64)));

struct generator_worker {
	struct mailbox mailbox;
	struct ws_generator_worker stats;
	uint16_t port_count;
	struct generator_port *ports[WS_MAX_PORTS];
} __attribute__((aligned(64)));

struct ws_generator {
	bool running; /* the workers do */
	uint16_t port_count, worker_count;
	struct generator_port ports[WS_MAX_PORTS];
	struct generator_worker workers[WS_MAX_WORKERS];
};

enum { FCS_LEN = 4 };

/* The loop of one worker (a worker_fn): receives on its ports and sends what is due. */
void generator_worker_run(uint16_t worker, void *generator);

#endif
