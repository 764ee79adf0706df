/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sampling of packets. Each packet has the same chance, independent of the others, so the
 * gaps are geometric. A packet is chosen first; then its port is tested for being enabled, which
 * keeps the share of each port.
 */
#pragma once

#include "router/module.h"
#include "router/packet/metadata.h"
#include "wire/splitmix.h"
#include "wirespeed/sflow.h"

#include <math.h>
#include <rte_common.h>

enum sflow_counter { SFLOW_PROCESSED, SFLOW_SAMPLED, SFLOW_DROPPED };
#define SFLOW_COUNTER_NAMES                                                                        \
	[SFLOW_PROCESSED] = {"sflow packets processed", false},                                        \
	[SFLOW_SAMPLED] = {"sflow packets sampled", false},                                            \
	[SFLOW_DROPPED] = {"sflow packets dropped", true}

/* Enough for a burst of ten milliseconds at ten million packets per second and one sample in fifty.
 */
enum { SFLOW_SLOTS = 2048 };

/* Samples of a worker, which the main thread reads. */
struct sflow_lane {
	uint64_t random;
	uint64_t skip[2]; /* number of packets until the next sample: received, sent */
	uint64_t sampled, dropped;
	uint32_t head __attribute__((aligned(64))); /* written by the worker */
	uint32_t tail __attribute__((aligned(64))); /* written by the main thread */
	struct ws_sflow_sample samples[SFLOW_SLOTS];
} __attribute__((aligned(64)));

/* Settings change in pauses. */
struct sflow {
	struct ws_sflow_settings settings;
	double log_of_rest; /* logarithm of the share of packets that are not sampled */
	bool enabled[WS_MAX_PORTS];
	uint16_t worker_count, next_lane;
	struct sflow_lane lanes[];
};

extern struct router_module sflow_module;

/* NULL before sampling is first set or read. */
static inline struct sflow *sflow_of(const struct ws_router *router)
{
	return module_state(router, &sflow_module);
}

/* Number of packets to skip before the next sample: geometrically distributed, 0 if all are
 * sampled. */
static inline uint64_t sflow_gap(struct sflow_lane *lane, double log_of_rest)
{
	if (log_of_rest >= 0)
		return 0;
	/* Above 0, and at most 1. */
	double drawn = (double)((splitmix_draw(&lane->random) >> 11) + 1) * 0x1p-53;
	return (uint64_t)(log(drawn) / log_of_rest);
}

/* False if the lane is full. */
static inline bool sflow_keep(struct sflow_lane *lane, const struct sflow *sflow,
							  const struct rte_mbuf *packet, uint16_t output)
{
	uint32_t head = lane->head;
	if (head - __atomic_load_n(&lane->tail, __ATOMIC_ACQUIRE) == SFLOW_SLOTS) {
		lane->dropped++;
		return false;
	}
	struct ws_sflow_sample *sample = &lane->samples[head % SFLOW_SLOTS];
	uint32_t length = RTE_MIN(packet->data_len, sflow->settings.header_bytes);
	sample->sampling_rate = sflow->settings.sampling_rate;
	sample->packet_bytes = packet->pkt_len;
	sample->input = packet->port;
	sample->output = output;
	sample->is_output = output != UINT16_MAX;
	sample->header_bytes = (uint16_t)length;
	memcpy(sample->header, packet_data(packet), length);
	lane->sampled++;
	__atomic_store_n(&lane->head, head + 1, __ATOMIC_RELEASE);
	return true;
}

/* The process function of a node; `port` is the port of all packets, or UINT16_MAX: the port that
 * received each. */
static inline __attribute__((always_inline)) uint16_t sflow_process(struct graph *graph,
																	struct graph_node *node,
																	void **packets, uint16_t n,
																	uint16_t port)
{
	struct sflow *sflow = sflow_of(router_of(graph));
	struct sflow_lane *lane = &sflow->lanes[graph->worker];
	uint64_t *skip = &lane->skip[port != UINT16_MAX], at = *skip;
	graph_count(node, SFLOW_PROCESSED, n);
	for (; unlikely(at < n); at += 1 + sflow_gap(lane, sflow->log_of_rest)) {
		const struct rte_mbuf *packet = packets[at];
		if (port == UINT16_MAX &&
			(packet->port >= WS_MAX_PORTS ||
			 !__atomic_load_n(&sflow->enabled[packet->port], __ATOMIC_RELAXED)))
			continue;
		bool is_kept = sflow_keep(lane, sflow, packet, port);
		graph_count(node, is_kept ? SFLOW_SAMPLED : SFLOW_DROPPED, 1);
	}
	*skip = at - n;
	graph_enqueue_all(graph, node, 0, packets, n);
	return n;
}
