/* SPDX-License-Identifier: Apache-2.0 */
/* The generator's own state: ports and workers. */
#pragma once

#include "dev/preemption.h"
#include "generator/control/mailbox.h"
#include "generator/observe/watch.h"
#include "generator/port.h"
#include "generator/receive/flow_order.h"
#include "generator/traffic/series.h"
#include "wirespeed/flows.h"
#include "wirespeed/runtime.h"

enum { SENDING_BUCKETS = 4096 };

/* Clocks are TSC ticks. */
struct worker_stats {
	uint64_t loops, busy_clocks, total_clocks;
	struct preemption preemption;
};

struct generator_worker {
	struct mailbox mailbox;
	struct worker_stats stats, snapshot;
	struct preemption_watch preemption_watch;
	uint64_t snapshot_tsc;
	uint64_t used_tsc; /* time of the last pass that sent, received or found due traffic */
	uint32_t sending;  /* bit set of the ports with something to send at that time */
	struct watch watch;
	uint32_t port_mask;
	uint16_t port_count;
	struct generator_port *ports[WS_MAX_GENERATOR_PORTS];
} __attribute__((aligned(64)));

/* A port: one share per worker. The first `senders` shares have a TX queue. */
struct served_port {
	struct generator_port *shares;
	uint16_t count, senders;
};

/* The main thread's part of a latency flow's history. */
struct flow_past {
	uint64_t base;           /* sequence number at the last reset */
	struct flow_order ended; /* sum of its earlier starts */
};

struct ws_generator {
	bool running;    /* the workers are running */
	uint32_t nap_ns; /* of idle workers, between two polls; the main thread sets it */
	uint16_t port_count, worker_count, share_count;
	struct rte_mempool *fresh[WS_MAX_POOLS]; /* by pool_index; made when a worker first needs it */
	/* running traffic, by profile and port (sending.c) */
	struct traffic *sending[SENDING_BUCKETS];
	uint32_t counting;       /* number of running traffics that count flows */
	uint32_t tagged_ports;   /* bit set of the ports that receive tagged packet groups */
	bool meters_on;          /* workers inspect received packets */
	struct traffic *stopped; /* a driver may hold packets of this traffic */
	uint32_t captures;       /* bit set of the captures in use */
	struct flow_past past[WS_LATENCY_FLOWS];
	uint8_t starts; /* number of the last start of latency flows, to distinguish late packets from
					   new ones */
	struct series series;
	struct served_port ports[WS_MAX_GENERATOR_PORTS];
	struct generator_worker workers[WS_MAX_WORKERS];
};

static inline double generator_ticks(double ns)
{
	return (double)ws_tsc_hz() * ns / 1e9;
}

/* For a call that only waits until the worker is between two bursts. */
static inline void generator_do_nothing(void *argument)
{
	(void)argument;
}

/* Have the worker call `function` between two bursts; called directly while the workers are not
 * running. */
static inline void generator_post(struct ws_generator *generator, uint16_t worker,
								  mailbox_fn *function, void *argument)
{
	if (generator->running)
		mailbox_post(&generator->workers[worker].mailbox, function, argument);
	else
		function(argument);
}

/* Wait until the function has been called. */
static inline void generator_wait(struct ws_generator *generator, uint16_t worker)
{
	if (generator->running)
		mailbox_wait(&generator->workers[worker].mailbox);
}

static inline void generator_ask(struct ws_generator *generator, uint16_t worker,
								 mailbox_fn *function, void *argument)
{
	generator_post(generator, worker, function, argument);
	generator_wait(generator, worker);
}

/* All workers are asked before the first answer is awaited, so they answer within the time of one
 * burst of each other. Worker i gets the i-th argument, of `size` bytes. */
static inline void generator_ask_all(struct ws_generator *generator, mailbox_fn *function,
									 void *arguments, size_t size)
{
	for (uint16_t i = 0; i < generator->worker_count; i++)
		generator_post(generator, i, function, (char *)arguments + i * size);
	for (uint16_t i = 0; i < generator->worker_count; i++)
		generator_wait(generator, i);
}

/* Like generator_ask for all workers of one port; share i gets argument i. */
static inline void generator_ask_shares(struct ws_generator *generator, uint16_t index,
										mailbox_fn *function, void *arguments, size_t size)
{
	const struct served_port *port = &generator->ports[index];
	for (uint16_t i = 0; i < port->count; i++)
		generator_post(generator, port->shares[i].worker, function, (char *)arguments + i * size);
	for (uint16_t i = 0; i < port->count; i++)
		generator_wait(generator, port->shares[i].worker);
}

/* The loop of one worker (a worker_fn): receives on its ports and sends due packets. */
void generator_worker_run(uint16_t worker, void *generator);
void generator_drop_pushed(struct ws_generator *generator, uint16_t port);

/* Pool for packets that the worker makes one by one; one per NUMA node. NULL: an error, with an
 * error text. */
struct rte_mempool *generator_fresh(struct ws_generator *generator, uint16_t worker);
/* Turn the inspection of received packets on or off, on all workers. */
void generator_set_meters(struct ws_generator *generator, bool on);
/* Returns 0, or a negative errno with an error text. */
int generator_check_flows(int32_t kind, const uint32_t *ids, uint32_t count);
void generator_reset_latency(struct ws_generator *generator, const uint32_t *ids, uint32_t count);
/* Notify all workers of the start of the latency flows of `traffic`. */
void generator_begin_flows(struct ws_generator *generator, const struct traffic *traffic);

/* Free stopped traffic of which no driver holds a packet any more. */
void generator_reap(struct ws_generator *generator);
