/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of a worker on a port: streams, built on the main thread, then handed to the worker. */
#pragma once

#include "generator/observe/flow_counts.h"
#include "generator/observe/flow_wire.h"
#include "generator/program/program.h"
#include "generator/traffic/schedule.h"
#include "generator/traffic/series.h"
#include "generator/traffic/split.h"

#include <rte_mbuf.h>

/*
 * A stream as the worker sends it: its ready packets in a circle or, with a long or random program
 * (`program` is set), a copy of the template changed by the program.
 */
struct sender {
	struct rte_mbuf **ready;
	uint8_t **ready_bytes; /* data of `ready` */
	uint32_t ready_count, position;
	uint32_t period; /* after how many of those they repeat, but for their numbers */
	struct program *program;
	struct packet_source *source; /* in place of a program; NULL: none */
	uint8_t *template;
	uint16_t frame_len;
	bool is_null;
	bool is_burst;     /* it has an end */
	bool same_length;  /* all ready packets are of frame_len */
	bool renewed;      /* the ready packets get the next values, or numbers, before they go again */
	bool copied;       /* they are too few to be numbered while a driver holds some */
	uint32_t rendered; /* number of those that are as they shall be */
	uint64_t burst;    /* the last one that had any of those */
	struct rte_mbuf *stash; /* built and refused: sent before others are built */
	struct ws_flow *flow;   /* counters of its packets; NULL: none */
	struct flow_tail tail;  /* tail of its packets; magic 0: none */
	struct tagged *tagged;  /* the tagged flow that holds `flow`; NULL: none */
};

/* Packets of a burst that are due and that the driver did not take. */
struct held {
	struct sender *sender;
	uint16_t count;
};

/* A worker's part of one profile on one port. */
struct traffic {
	/* read by a worker for a stream that is not due: one cache line */
	struct traffic *next_on_port;
	uint64_t wake; /* TSC before which nothing is to be done for it; 0: look */
	bool active;   /* it has not ended */
	bool paused;
	bool by_reference;            /* else ready packets are copied too */
	bool counts_flows, has_tails; /* some stream has it */
	bool is_metered;              /* what it sends is counted by meters */
	bool has_latency;
	uint16_t port;
	uint32_t count, profile;
	struct schedule *schedule;
	struct sender *senders;
	uint64_t origin; /* TSC at which the schedule's time was 0 */
	uint64_t pause;  /* TSC since when it stands still */
	double looked;   /* ticks after the origin at which it was last looked at */
	double owed;     /* ticks by which the schedule's clock lags, see transmit.c */
	double stuck;    /* `looked` when the driver began to take nothing; 0: it takes some */
	struct held held[PROGRAM_BATCH]; /* they go first */
	uint16_t held_count;
	uint64_t handed;  /* ready packets given to the driver by reference */
	uint64_t burst;   /* which one it is */
	bool was_home;    /* when it began no driver held a packet of the traffic */
	uint32_t stashed; /* packets in all stashes */
	struct rte_mempool *fresh;
	struct rte_mempool *ready_pool;
	uint8_t *lent;           /* its packets in the port's memory; NULL: in the pool */
	struct rte_mbuf **ready; /* packets of all streams */
	uint8_t **ready_bytes;
	/* the main thread's */
	struct generator_port *share; /* its port */
	struct series *series;
	bool asked, home; /* the worker was asked; its answer to traffic_is_home */
	struct traffic *next;
};

/* The schedule's time at `tsc`. */
static inline double traffic_time(const struct traffic *traffic, uint64_t tsc)
{
	return (double)(int64_t)(tsc - traffic->origin) - traffic->owed;
}

struct traffic_config {
	struct generator_port *share;
	uint16_t tx_queues; /* that it fills */
	uint32_t profile;
	struct series *series;
	bool by_reference;  /* the port's driver only reads what it sends */
	uint8_t flow_start; /* number of this start of latency flows */
	double factor, duration_s;
};

/*
 * NULL on bad streams or too little memory, told by *error and ws_error(). Where
 * traffic_needs_fresh, `fresh` is to be set before it runs.
 */
struct traffic *traffic_create(const struct traffic_config *config,
							   const struct worker_streams *given, int *error);
/* Run the program over copies of the template. */
void sender_finish(struct sender *sender, uint8_t *const *bytes, uint16_t *lengths, uint16_t n);
/* Its ready packets themselves go to the driver, not copies. */
static inline bool sender_lends(const struct traffic *traffic, const struct sender *sender)
{
	return sender->ready_count && traffic->by_reference && !sender->copied;
}
bool traffic_needs_fresh(const struct traffic *traffic);
/* No driver holds a packet of it any more; asked by the worker, or when none runs. */
bool traffic_is_home(const struct traffic *traffic);
void traffic_free(struct traffic *traffic);
