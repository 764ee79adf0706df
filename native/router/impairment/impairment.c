/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and counters of impairments. */
#include "router/impairment/impairment.h"

#include "dev/error.h"
#include "dev/pool.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "wire/own_count.h"
#include "wirespeed/impairment.h"

#include <errno.h>
#include <math.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>

static const char NODE[] = "%-impairment";
enum { MOST_HELD = 1 << 16, MOST_DELAY_MS = 10000, NS_A_MS = 1000000 };

/* ---- Settings to chances ---- */

static uint64_t chance_of(double ratio)
{
	return ratio >= 1 ? UINT64_MAX : (uint64_t)ldexp(ratio, 64);
}

static int check_ratio(const char *name, double ratio)
{
	return ratio >= 0 && ratio <= 1
			   ? 0
			   : fail(-EINVAL, "%s is not a share of packets; give 0 to 1", name);
}

static int check_settings(const struct ws_impairment *wanted)
{
	int error = check_ratio("loss", wanted->loss);
	if (!error)
		error = check_ratio("reorder", wanted->reorder);
	if (!error)
		error = check_ratio("duplicate", wanted->duplicate);
	if (!error && wanted->loss_burst && wanted->loss_burst < 1)
		error = fail(-EINVAL, "the loss burst is shorter than a packet; give 1 or more");
	if (!error && wanted->loss_burst > 1 && wanted->loss >= 1)
		error = fail(-EINVAL, "a loss burst with a loss of 1 or more; give a loss below 1");
	if (!error && (wanted->delay_ns > (uint64_t)MOST_DELAY_MS * NS_A_MS ||
				   wanted->jitter_ns > (uint64_t)MOST_DELAY_MS * NS_A_MS))
		error = fail(-EINVAL, "delay and jitter are too long; give at most %d ms", MOST_DELAY_MS);
	return error;
}

/* Independent sequences of random numbers. */
static uint64_t first_state(uint64_t seed, uint16_t worker, int fault)
{
	uint64_t state = seed ^ ((uint64_t)worker << 8 | (uint64_t)fault) << 48;
	return splitmix_draw(&state);
}

static void set_lane(struct impairment_lane *lane, const struct ws_impairment *settings,
					 uint16_t worker, uint64_t tsc_hz)
{
	double length = settings->loss_burst > 1 ? settings->loss_burst : 1;
	for (int fault = 0; fault < FAULTS; fault++)
		lane->random[fault] = first_state(settings->seed, worker, fault);
	lane->burst_end = length > 1 ? chance_of(1 / length) : 0;
	/* Chance that a burst begins, so that the share of lost packets is as requested. */
	lane->chances[FAULT_LOSS] =
		chance_of(length > 1 ? settings->loss / (length * (1 - settings->loss)) : settings->loss);
	lane->chances[FAULT_DUPLICATE] = chance_of(settings->duplicate);
	lane->chances[FAULT_REORDER] = chance_of(settings->reorder);
	lane->delay_tsc = (uint64_t)((double)settings->delay_ns * (double)tsc_hz / 1e9);
	lane->jitter_tsc = (uint64_t)((double)settings->jitter_ns * (double)tsc_hz / 1e9);
	lane->patience_tsc = tsc_hz / 10;
	lane->is_losing = false;
}

/* ---- Lanes ---- */

static void free_impairment(struct impairment *impairment)
{
	for (int i = 0; impairment && i < WS_MAX_WORKERS; i++)
		rte_free(impairment->lanes[i].held);
	rte_free(impairment);
}

/* Half of the packet buffers, so that others are available for everything else. */
static uint32_t most_held(void)
{
	uint32_t slots = MOST_HELD;
	while (slots > ports_pool()->size / 2)
		slots /= 2;
	return slots;
}

static struct impairment *make(const struct ws_router *router)
{
	struct impairment *made = rte_zmalloc("impairment", sizeof(*made), RTE_CACHE_LINE_SIZE);
	bool has_room = made && module_state(router, &impairment_module);
	for (uint16_t i = 0; has_room && i < router->worker_count; i++) {
		struct impairment_lane *lane = &made->lanes[i];
		lane->slots = most_held();
		lane->held = rte_malloc("impairment", lane->slots * sizeof(*lane->held), 0);
		has_room = lane->held != NULL;
	}
	if (has_room)
		return made;
	free_impairment(made);
	fail(-ENOMEM, "no memory for an impairment");
	return NULL;
}

/* Drop the held packets, and count the drops. */
static void drop_held(struct ws_router *router, struct impairment *impairment)
{
	for (uint16_t i = 0; i < router->worker_count; i++) {
		struct impairment_lane *lane = &impairment->lanes[i];
		own_count_add(&router->workers[i]->totals->drops, impairment_held(lane));
		for (; lane->head != lane->tail; lane->head++)
			rte_pktmbuf_free(lane->held[lane->head & (lane->slots - 1)].packet);
		rte_pktmbuf_free(lane->turned); /* it may be NULL */
		lane->turned = NULL;
		router->workers[i]->is_holding = false; /* true again if another port holds packets */
	}
}

static void put(struct ws_router *router, uint16_t port, struct impairment *impairment)
{
	struct impairments *all = module_state(router, &impairment_module);
	__atomic_store_n(&all->of[port], impairment, __ATOMIC_RELEASE);
}

static void end(struct ws_router *router, uint16_t port)
{
	struct impairment *impairment = impairment_at(router, port);
	if (!impairment)
		return;
	router_pause(router);
	drop_held(router, impairment);
	put(router, port, NULL);
	router_resume(router);
	free_impairment(impairment);
}

static void impairments_free(struct ws_router *router)
{
	for (uint16_t port = 0; port < (uint16_t)WS_MAX_PORTS; port++)
		end(router, port);
}

/* ---- The seam ---- */

static int check_port(const struct ws_router *router, uint16_t index)
{
	int error = router_check_interface(router, index);
	if (!error && router->settings[index].kind != WS_INTERFACE_PORT)
		error = fail(-EINVAL, "%s is not a port and sends through one; give that port",
					 interface_name(router, index));
	return error;
}

static void set_lanes(struct ws_router *router, struct impairment *impairment,
					  const struct ws_impairment *wanted)
{
	impairment->settings = *wanted;
	for (uint16_t i = 0; i < router->worker_count; i++)
		set_lane(&impairment->lanes[i], wanted, i, router->tsc_hz);
}

static int begin(struct ws_router *router, uint16_t index, const struct ws_impairment *wanted)
{
	if (!module_state(router, &impairment_module))
		module_set_state(router, &impairment_module, calloc(1, sizeof(struct impairments)));
	struct impairment *made = make(router);
	if (!made)
		return -ENOMEM;
	set_lanes(router, made, wanted);
	/* Set before a graph has the node that uses it. */
	put(router, index, made);
	int error = features_set(router, NODE, index, true);
	if (error)
		end(router, index);
	return error;
}

int ws_router_set_impairment(struct ws_router *router, uint16_t index,
							 const struct ws_impairment *wanted)
{
	int error = check_port(router, index);
	if (!error)
		error = check_settings(wanted);
	if (error)
		return error;
	if (!impairment_at(router, index))
		return begin(router, index, wanted);
	router_pause(router);
	set_lanes(router, impairment_at(router, index), wanted);
	router_resume(router);
	return 0;
}

int ws_router_clear_impairment(struct ws_router *router, uint16_t index)
{
	int error = check_port(router, index);
	if (!error && !impairment_at(router, index))
		error = fail(-ENOENT, "interface %s has no impairment; show impairment lists them",
					 interface_name(router, index));
	if (!error)
		error = features_set(router, NODE, index, false);
	if (!error)
		end(router, index);
	return error;
}

static void count(const struct ws_router *router, uint16_t index,
				  struct ws_impairment_counters *out)
{
	uint64_t sums[IMPAIRMENT_COUNTERS] = {0}, packets = 0;
	char name[WS_NAME_LEN + sizeof(NODE)];
	snprintf(name, sizeof(name), "%s%s", interface_name(router, index), NODE + 1);
	for (uint16_t i = 0; i < router->worker_count; i++) {
		const struct graph_node *node = graph_node(router->workers[i]->graph, name);
		for (int c = 0; node && c < IMPAIRMENT_COUNTERS; c++)
			sums[c] += node->counters[c];
		packets += node ? graph_stats(router->workers[i]->graph, node).vectors : 0;
		out->held += impairment_held(&impairment_at(router, index)->lanes[i]);
	}
	out->packets = packets;
	out->lost = sums[IMPAIRMENT_LOST];
	out->duplicated = sums[IMPAIRMENT_DUPLICATED];
	out->reordered = sums[IMPAIRMENT_REORDERED];
	out->delayed = sums[IMPAIRMENT_DELAYED];
	out->no_room = sums[IMPAIRMENT_NO_ROOM];
	out->no_copy = sums[IMPAIRMENT_NO_COPY];
}

int ws_router_impairment(struct ws_router *router, uint16_t index, struct ws_impairment *out,
						 struct ws_impairment_counters *counters)
{
	int error = router_check_interface(router, index);
	if (error || index >= WS_MAX_PORTS || !impairment_at(router, index))
		return error;
	*out = impairment_at(router, index)->settings;
	*counters = (struct ws_impairment_counters){0};
	count(router, index, counters);
	return 1;
}

static int watch_impairment(struct ws_router *router, uint16_t index, enum interface_change change)
{
	bool is_to_go =
		change == INTERFACE_LEAVES && index < WS_MAX_PORTS && impairment_at(router, index);
	return is_to_go ? ws_router_clear_impairment(router, index) : 0;
}
INTERFACE_WATCH(watch_impairment)

ROUTER_MODULE_EXTERN(impairment_module, .name = "impairment", .close = impairments_free)
