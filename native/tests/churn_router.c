/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/counters.h"
#include "wirespeed/dad.h"
#include "wirespeed/placement.h"
#include "wirespeed/ports.h"
#include "wirespeed/punt.h"
#include "wirespeed/runtime.h"
#include "wirespeed/trace.h"

#include "router/router.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/routes.h"

#include <sys/mman.h>
#include <unistd.h>

/* New addresses, and those of interfaces that come up, are probed. */
static void duplicates(struct ws_router *router, uint64_t *row, bool on)
{
	struct ws_dad_conflict found[8];
	(void)row;
	churn_expect(ws_router_set_dad(router, WS_DAD_ALL_INTERFACES, on), "DAD");
	churn_expect(ws_router_dad_conflicts(router, found, RTE_DIM(found)), "conflicts");
}

static void trace(struct ws_router *router, uint64_t *row, bool on)
{
	static struct ws_trace_step steps[64];
	const struct ws_prefix filter = PREFIX(48, 0, 0, 0, 8);
	churn_expect(ws_router_trace_filter(router, churn_draw(row, 2) ? &filter : NULL), "filter");
	churn_expect(ws_router_trace_add(router, "dpdk-input", 10), "trace");
	for (uint16_t i = 0; i < router->worker_count; i++)
		churn_expect(ws_router_trace(router, i, 0, steps, 64), "trace read");
	if (!on)
		ws_router_trace_clear(router);
}

static void capture(struct ws_router *router, uint64_t *row, bool on)
{
	struct ws_pcap_config config = {
		.rx = true,
		.tx = true,
		.drop = true,
		.interface = churn_draw(row, 2) ? 0 : -1,
		.max_packets = 500,
		.snap_len = 100,
	};
	struct ws_pcap_status status;
	if (!on) {
		churn_expect(ws_router_pcap_status(router, &status), "status of a capture");
		churn_expect(ws_router_pcap_stop(router, &status), "end of a capture");
		return;
	}
	config.fd = memfd_create("capture", 0);
	churn_expect(ws_router_pcap_start(router, &config), "capture");
	close(config.fd);
}

static void placement(struct ws_router *router, uint64_t *row, bool on)
{
	(void)on;
	for (uint16_t i = 0; i < CHURN_WIRES; i++)
		churn_expect(
			ws_router_set_placement(router, i, 0, (uint16_t)churn_draw(row, router->worker_count)),
			"placement");
}

static void rests(struct ws_router *router, uint64_t *row, bool on)
{
	for (uint16_t i = 0; i < CHURN_PORTS; i++)
		if (i < CHURN_FAR || i == CHURN_NONE || i == CHURN_SHM)
			churn_expect(ws_router_set_rx_mode(router, i, 0,
											   on ? 1 + (int)churn_draw(row, 2) : WS_RX_POLLING),
						 "RX mode");
}

static void hand_off(struct ws_router *router, uint64_t *row, bool on)
{
	uint16_t workers[WS_MAX_WORKERS];
	for (uint16_t i = 0; i < router->worker_count; i++)
		workers[i] = i;
	churn_expect(ws_router_set_handoff(router, 0, workers, on ? router->worker_count : 0,
									   churn_draw(row, 2)),
				 "hand-off");
}

static void police(struct ws_router *router, uint64_t *row, bool on, int32_t interface)
{
	struct ws_punt_policer policer;
	for (uint32_t reason = 0; reason < WS_PUNT_REASONS; reason++) {
		uint32_t rate = on && churn_draw(row, 2) ? 1 + churn_draw(row, 1000) : 0;
		churn_expect(ws_router_set_punt_policer(router, interface, reason, rate, 8), "policer");
		churn_expect(ws_router_punt_policer(router, interface, reason, &policer), "policer read");
	}
}

static void policers(struct ws_router *router, uint64_t *row, bool on)
{
	for (int32_t interface = WS_PUNT_ALL_INTERFACES; interface < CHURN_FAR; interface++)
		police(router, row, on, interface);
}

CHURN(duplicates)
CHURN(trace)
CHURN(capture)
CHURN(placement)
CHURN(rests)
CHURN(hand_off)
CHURN(policers)

/* ---- Reads of a user ---- */

static void tables_and_counters(struct ws_router *router, uint64_t *row)
{
	static struct ws_node_stats stats[512];
	static struct ws_node_counter counters[1024];
	static struct ws_neighbor neighbors[256];
	static struct ws_held held[64];
	static struct ws_interface_name names[64];
	static struct ws_adjacency adjacencies[64];
	static struct ws_route route;
	struct ws_counts to, via;
	struct ws_interface_counters of_interface;
	struct ws_neighbor_counters of_neighbors;
	struct ws_router_totals totals;
	struct ws_worker_info info;
	struct ws_port_counters of_port;
	uint16_t worker = (uint16_t)churn_draw(row, router->worker_count);
	ws_router_node_stats(router, worker, stats, 512);
	ws_router_node_counters(router, worker, counters, 1024);
	ws_router_totals(router, worker, &totals);
	ws_worker_info(worker, &info);
	ws_router_neighbors(router, 0, neighbors, 256);
	ws_router_neighbor_counters(router, &of_neighbors);
	ws_router_held(router, held, 64);
	ws_router_adjacencies(router, 0, adjacencies, 64);
	churn_expect(ws_router_route_get(router, 0, PREFIX(48, 0, 0, 0, 8), &route), "route read");
	if (ws_router_counting(router) & WS_COUNT_ROUTES)
		churn_expect(ws_router_route_counts(router, route.index, &to, &via), "counts of a route");
	int count = ws_router_interfaces(router, names, 64);
	for (int i = 0; i < count; i++)
		ws_router_interface_counters(router, names[i].index, &of_interface);
	for (uint16_t i = 0; i < CHURN_PORTS; i++)
		ws_port_counters(i, &of_port);
	if (!churn_draw(row, 8))
		ws_router_clear_maxima(router);
}
CHURN_READ(tables_and_counters)
