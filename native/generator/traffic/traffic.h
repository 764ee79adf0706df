/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of a worker on a port: streams that are built on the main thread, then handed to the
 * worker. */
#pragma once

#include "generator/observe/flow_counts.h"
#include "generator/observe/flow_wire.h"
#include "generator/program/program.h"
#include "generator/traffic/schedule.h"
#include "generator/traffic/series.h"
#include "generator/traffic/split.h"

#include <rte_mbuf.h>

/*
 * A stream on its worker: a circle of ready packets. For a long or random program (`program` is
 * set): a template that the program changes after copying.
 */
struct sender {
	struct rte_mbuf **ready;
	uint8_t **ready_bytes; /* data of `ready` */
	uint32_t ready_count, position;
	uint32_t period; /* number of ready packets after which they repeat, except for their numbers */
	struct program *program;
	struct packet_source *source; /* in place of a program; NULL: none */
	uint8_t *template;
	uint16_t frame_len;
	bool is_null;
	bool is_burst;    /* the stream ends */
	bool same_length; /* all ready packets are of frame_len */
	bool renewed;     /* ready packets get new values or numbers before they are sent again */
	bool copied; /* too few ready packets to renumber them while a driver may hold some: they are
					copied */
	uint32_t rendered;      /* number of ready packets from `position` on that are up to date */
	uint64_t burst;         /* number of the last burst with packets of this sender */
	struct rte_mbuf *stash; /* built and refused packets, which are sent first */
	struct ws_flow *flow;   /* counters of its packets; NULL: none */
	struct flow_tail tail;  /* tail of its packets; magic 0: none */
	struct tagged *tagged;  /* the tagged flow that holds `flow`; NULL: none */
};

/* Due packets of a burst that the driver did not take. */
struct held {
	struct sender *sender;
	uint16_t count;
};

/* A worker's part of one profile on one port. */
struct traffic {
	/* members that a worker reads for traffic that is not due: one cache line */
	struct traffic *next_on_port;
	uint64_t wake; /* TSC before which nothing is due; 0: check now */
	bool active;   /* the traffic has not ended */
	bool paused;
	bool by_reference;            /* ready packets are sent themselves, not copies */
	bool counts_flows, has_tails; /* some stream counts flows, has a tail */
	bool is_metered;              /* meters count its packets at the receiver */
	bool has_latency;
	uint16_t port;
	uint32_t count, profile;
	struct schedule *schedule;
	struct sender *senders;
	uint64_t origin; /* TSC at time 0 of the schedule */
	uint64_t pause;  /* TSC at the start of the pause */
	double looked;   /* time of its last check, in ticks after the origin */
	double owed;     /* ticks by which the schedule's clock lags, see transmit.c */
	double
		stuck; /* value of `looked` when the driver began to refuse all packets; 0: it takes some */
	struct held held[PROGRAM_BATCH]; /* packets to send first */
	uint16_t held_count;
	uint64_t handed;  /* ready packets given to the driver by reference */
	uint64_t burst;   /* number of the current burst */
	bool was_home;    /* no driver held a packet of the traffic when the burst began */
	uint32_t stashed; /* packets in all stashes */
	struct rte_mempool *fresh;
	struct rte_mempool *ready_pool;
	uint8_t *lent;           /* packets in the port's memory; NULL: in the pool */
	struct rte_mbuf **ready; /* packets of all streams */
	uint8_t **ready_bytes;
	/* for the main thread */
	struct generator_port *share; /* share of its port */
	struct series *series;
	bool asked, home; /* the worker was asked for traffic_is_home; its answer */
	struct traffic *next;
};

/* The schedule's time at `tsc`. */
static inline double traffic_time(const struct traffic *traffic, uint64_t tsc)
{
	return (double)(int64_t)(tsc - traffic->origin) - traffic->owed;
}

struct traffic_config {
	struct generator_port *share;
	uint16_t tx_queues; /* number of TX queues that the port's workers fill */
	uint32_t profile;
	struct series *series;
	bool by_reference;  /* the port's driver only reads what it sends */
	uint8_t flow_start; /* number of this start of latency flows */
	double factor, duration_s;
};

/*
 * NULL: invalid streams or too little memory, with *error and an error text. If
 * traffic_needs_fresh, set `fresh` before the traffic runs.
 */
struct traffic *traffic_create(const struct traffic_config *config,
							   const struct worker_streams *given, int *error);
/* Run the program over copies of the template. */
void sender_finish(struct sender *sender, uint8_t *const *bytes, uint16_t *lengths, uint16_t n);
/* True if the sender's ready packets themselves are given to the driver, not copies. */
static inline bool sender_lends(const struct traffic *traffic, const struct sender *sender)
{
	return sender->ready_count && traffic->by_reference && !sender->copied;
}
bool traffic_needs_fresh(const struct traffic *traffic);
/* True if no driver holds a packet of the traffic. Called by its worker, or while no worker runs.
 */
bool traffic_is_home(const struct traffic *traffic);
void traffic_free(struct traffic *traffic);
