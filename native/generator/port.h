/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port as one of its workers sees it: that worker's share. Only that worker touches it while the
 * workers run; each has its own TX queue, RX queues, streams and counters.
 */
#pragma once

#include "wirespeed/generator.h"

struct port_extension;
struct port_flows;
struct push;
struct rte_mempool;
struct tagged;
struct traffic;
struct watch;

struct generator_port {
	uint16_t index;
	uint16_t tx_queue;
	uint16_t first_rx, rx_step, rx_queues; /* its RX queues: each `rx_step` after the one before */
	bool drops_without_buffer; /* the driver drops packets without a buffer, and counts them
								  separately */
	struct watch *watch;       /* its worker's */
	struct traffic *traffic;   /* traffic of all its profiles; NULL: none */
	uint64_t looked;           /* TSC at which its due packets were last checked */
	uint32_t ended;            /* profiles that ended on their own; read by the main thread */
	struct push *push;         /* packets left to push; NULL: none */
	struct port_flows *flows;
	struct tagged *tagged;            /* its tagged packet groups; NULL: none */
	struct port_extension *extension; /* NULL: none */
	struct rte_mempool *fresh;        /* pool of pushed packets */
	/* in ticks, see traffic/transmit.c */
	double away, most_owed, ring_full_grace, patience;
	struct ws_generator_port counters;
	/* for the main thread */
	uint16_t worker;
	uint16_t number;                   /* index among the shares of all ports */
	uint32_t reaped;                   /* value of `ended` when ended profiles were last removed */
	struct ws_generator_port snapshot; /* snapshot of `counters` */
	struct push *pushing;              /* the last packets that were pushed */
} __attribute__((aligned(64)));
