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
	uint64_t used_tsc; /* when it last sent or received, or found traffic that is to be sent */
	uint32_t sending;  /* ports on which it had something to send then, as bits */
	struct watch watch;
	uint32_t port_mask;
	uint16_t port_count;
	struct generator_port *ports[WS_MAX_GENERATOR_PORTS];
} __attribute__((aligned(64)));

/* A port: a share for each of its workers, of which the first `senders` have a TX queue. */
struct served_port {
	struct generator_port *shares;
	uint16_t count, senders;
};

/* History of a latency flow, beyond what workers keep. */
struct flow_past {
	uint64_t base;           /* its sequence number at the last reset */
	struct flow_order ended; /* its starts before this one */
};

struct ws_generator {
	bool running; /* the workers do */
	uint16_t port_count, worker_count, share_count;
	struct rte_mempool *fresh[WS_MAX_POOLS]; /* by pool_index; made when a worker first needs it */
	/* the workers' view, by profile and port (sending.c) */
	struct traffic *sending[SENDING_BUCKETS];
	uint32_t counting;       /* number of those that count flows */
	uint32_t tagged_ports;   /* ports that receive tagged packet groups, as bits */
	bool meters_on;          /* the workers look at what is received */
	struct traffic *stopped; /* a driver may hold packets of them */
	uint32_t captures;       /* bit set of the numbers in use */
	struct flow_past past[WS_LATENCY_FLOWS];
	uint8_t starts; /* starts of latency flows, to tell late packets from new ones */
	struct series series;
	struct served_port ports[WS_MAX_GENERATOR_PORTS];
	struct generator_worker workers[WS_MAX_WORKERS];
};

/* Have `function` called on the worker's own thread, between two bursts; called right here while
 * the workers do not run. */
static inline void generator_post(struct ws_generator *generator, uint16_t worker,
								  mailbox_fn *function, void *argument)
{
	if (generator->running)
		mailbox_post(&generator->workers[worker].mailbox, function, argument);
	else
		function(argument);
}

/* Until it has been called. */
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

/* All workers are asked before the first answer is waited for: they answer within one burst's time
 * of each other. Worker i gets the i-th argument, `size` bytes each. */
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

/* The loop of one worker (a worker_fn): receives on its ports and sends what is due. */
void generator_worker_run(uint16_t worker, void *generator);
void generator_drop_pushed(struct ws_generator *generator, uint16_t port);

/* The pool of packets that the worker makes one by one: one for each NUMA node. NULL: an error,
 * whose line is told. */
struct rte_mempool *generator_fresh(struct ws_generator *generator, uint16_t worker);
/* Makes all workers look at what they receive, or not. */
void generator_set_meters(struct ws_generator *generator, bool on);
/* 0, or the code of an error whose line is told. */
int generator_check_flows(int32_t kind, const uint32_t *ids, uint32_t count);
void generator_reset_latency(struct ws_generator *generator, const uint32_t *ids, uint32_t count);
/* Tells all workers that the latency flows of `traffic` begin. */
void generator_begin_flows(struct ws_generator *generator, const struct traffic *traffic);

/* Frees what was stopped and has come home from the drivers. */
void generator_reap(struct ws_generator *generator);
