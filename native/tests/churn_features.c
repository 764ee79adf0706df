/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/acl_sessions.h"
#include "wirespeed/acls.h"
#include "wirespeed/counters.h"
#include "wirespeed/dad.h"
#include "wirespeed/impairment.h"
#include "wirespeed/placement.h"
#include "wirespeed/ports.h"
#include "wirespeed/punt.h"
#include "wirespeed/runtime.h"
#include "wirespeed/sflow.h"
#include "wirespeed/trace.h"
#include "wirespeed/urpf.h"

#include "router/router.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/routes.h"

#include <sys/mman.h>
#include <unistd.h>

enum { RULES = 40 };

static int32_t acls[2] = {-1, -1};

/* Some deny, some permit, and all but the last may reflect. */
static void set_rules(struct ws_router *router, uint64_t *row, uint32_t which, bool reflects)
{
	struct ws_acl_rule rules[RULES];
	uint32_t count = 2 + churn_draw(row, RULES - 2);
	for (uint32_t i = 0; i < count; i++) {
		rules[i] = (struct ws_acl_rule){
			.action = (uint8_t)churn_draw(row, reflects ? 3 : 2),
			.source_first = 0,
			.source_last = UINT16_MAX,
			.destination_last = UINT16_MAX,
			.source = PREFIX(10, 0, churn_draw(row, 4), 0, 24),
			.destination = PREFIX(49, 0, churn_draw(row, 64), 0, 24),
		};
	}
	rules[count - 1] = (struct ws_acl_rule){
		.action = reflects ? WS_ACL_PERMIT_REFLECT : WS_ACL_PERMIT,
		.source_last = UINT16_MAX,
		.destination_last = UINT16_MAX,
		.source = PREFIX(0, 0, 0, 0, 0),
		.destination = PREFIX(0, 0, 0, 0, 0),
	};
	int index = ws_router_acl_set(router, acls[which], "churn", rules, count);
	churn_expect(index, "ACL");
	acls[which] = index;
}

static void access_list(struct ws_router *router, uint64_t *row, bool on)
{
	set_rules(router, row, 0, false);
	const uint32_t one = (uint32_t)acls[0];
	churn_expect(ws_router_acl_interface_set(router, 0, false, &one, on), "ACL in");
	churn_expect(ws_router_acl_interface_set(router, 2, true, &one, on), "ACL out");
	set_rules(router, row, 0, false);
	if (on)
		return;
	churn_expect(ws_router_acl_del(router, one), "ACL away");
	acls[0] = -1;
}

static void sessions(struct ws_router *router, uint64_t *row, bool on)
{
	set_rules(router, row, 1, true);
	const uint32_t one = (uint32_t)acls[1];
	churn_expect(ws_router_acl_interface_set(router, 1, true, &one, on), "ACL with sessions");
	if (churn_draw(row, 2))
		ws_router_acl_sessions_clear(router);
	set_rules(router, row, 1, churn_draw(row, 2));
}

/* Sources of IPv4 are looked for in a table of their own; some are accepted. */
static void sources(struct ws_router *router, uint64_t *row, bool on)
{
	enum { TABLE = 6 };
	const struct ws_urpf_accepted accepted[] = {{TABLE, PREFIX(10, 0, 0, 8, 30)},
												{TABLE, PREFIX(10, 0, 2, 0, 29)},
												{0, PREFIX(11, 0, 0, 0, 8)}};
	const struct ws_route route = {
		.table = TABLE,
		.prefix = PREFIX(10, 0, 0, 0, 29),
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, churn_draw(row, 3), 2), .interface = 0}},
	};
	static struct ws_urpf_accepted seen[8];
	if (on) {
		churn_expect(ws_router_table_add(router, WS_IP4, TABLE, "sources"), "table");
		churn_expect(ws_router_route_add(router, &route, false), "route of sources");
	}
	for (uint16_t i = 0; i < CHURN_FAR; i++) {
		int32_t mode = on ? (int32_t)churn_draw(row, WS_URPF_STRICT + 1) : WS_URPF_OFF;
		churn_expect(ws_router_set_urpf(router, i, WS_IP4, churn_draw(row, 2), mode, TABLE),
					 "uRPF");
	}
	for (size_t i = 0; i < RTE_DIM(accepted); i++)
		churn_expect(ws_router_set_urpf_accept(router, &accepted[i], on), "accepted sources");
	churn_expect(ws_router_urpf_accepted(router, seen, RTE_DIM(seen)), "accepted sources read");
	if (on)
		return;
	for (uint16_t i = 0; i < CHURN_FAR; i++)
		for (int is_tx = 0; is_tx < 2; is_tx++)
			churn_expect(ws_router_set_urpf(router, i, WS_IP4, is_tx, WS_URPF_OFF, -1), "no uRPF");
	churn_expect(ws_router_route_del_many(router, TABLE, route.prefix, WS_SOURCE_STATIC, 1),
				 "route of sources away");
	churn_expect(ws_router_table_del(router, WS_IP4, TABLE), "table away");
}

static void reverse_path_of(struct ws_router *router, uint64_t *row, bool on, uint16_t index,
							uint8_t family)
{
	for (int is_tx = 0; is_tx < 2; is_tx++) {
		int32_t mode = on ? (int32_t)churn_draw(row, WS_URPF_STRICT + 1) : WS_URPF_OFF;
		churn_expect(ws_router_set_urpf(router, index, family, is_tx, mode, -1), "uRPF");
	}
}

static void reverse_path(struct ws_router *router, uint64_t *row, bool on)
{
	for (uint16_t i = 0; i < CHURN_FAR; i++)
		reverse_path_of(router, row, on, i, WS_IP6);
	reverse_path_of(router, row, on, CHURN_SHM, WS_IP4);
}

/* Addresses that come, and those of interfaces that come up, are asked for. */
static void duplicates(struct ws_router *router, uint64_t *row, bool on)
{
	struct ws_dad_conflict found[8];
	(void)row;
	churn_expect(ws_router_set_dad(router, WS_DAD_ALL_INTERFACES, on), "DAD");
	churn_expect(ws_router_dad_conflicts(router, found, RTE_DIM(found)), "conflicts");
}

static void impairment(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_impairment wanted = {
		.loss = 0.1,
		.duplicate = 0.1,
		.reorder = 0.1,
		.delay_ns = churn_draw(row, 2) ? 500000 : 0,
		.seed = 1,
	};
	churn_expect(on ? ws_router_set_impairment(router, 1, &wanted)
					: ws_router_clear_impairment(router, 1),
				 "impairment");
}

static void samples(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_sflow_settings wanted = {.sampling_rate = 1 + churn_draw(row, 20),
											 .header_bytes = 128,
											 .direction = WS_SFLOW_RX + (int)churn_draw(row, 3)};
	churn_expect(ws_router_sflow_set(router, &wanted), "sFlow");
	churn_expect(ws_router_sflow_enable(router, 0, on), "sFlow of e0");
	churn_expect(ws_router_sflow_enable(router, 1, on), "sFlow of e1");
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

churn_change *const churn_of_features[] = {
	access_list, sessions, sources,   reverse_path, duplicates, impairment, samples,
	trace,       capture,  placement, rests,        hand_off,   policers,   NULL,
};

/* ---- What a user looks at ---- */

void churn_read(struct ws_router *router, uint64_t *row)
{
	static struct ws_node_stats stats[512];
	static struct ws_node_counter counters[1024];
	static struct ws_neighbor neighbors[256];
	static struct ws_held held[64];
	static struct ws_interface_name names[64];
	static struct ws_sflow_sample samples_taken[16];
	static struct ws_acl_session sessions_read[64];
	static struct ws_adjacency adjacencies[64];
	static struct ws_route route;
	struct ws_counts to, via;
	struct ws_interface_counters of_interface;
	struct ws_neighbor_counters of_neighbors;
	struct ws_router_totals totals;
	struct ws_worker_info info;
	struct ws_acl_count counts[RULES];
	struct ws_acl_rule rules[RULES];
	struct ws_port_counters of_port;
	char tag[WS_ACL_TAG_LEN];
	uint32_t cursor = 0;
	uint16_t worker = (uint16_t)churn_draw(row, router->worker_count);
	ws_router_node_stats(router, worker, stats, 512);
	ws_router_node_counters(router, worker, counters, 1024);
	ws_router_totals(router, worker, &totals);
	ws_worker_info(worker, &info);
	ws_router_neighbors(router, 0, neighbors, 256);
	ws_router_neighbor_counters(router, &of_neighbors);
	ws_router_held(router, held, 64);
	ws_router_sflow_take(router, samples_taken, 16);
	ws_router_acl_sessions(router, &cursor, sessions_read, 64);
	ws_router_adjacencies(router, 0, adjacencies, 64);
	churn_expect(ws_router_route_get(router, 0, PREFIX(48, 0, 0, 0, 8), &route), "route read");
	if (ws_router_counting(router) & WS_COUNT_ROUTES)
		churn_expect(ws_router_route_counts(router, route.index, &to, &via), "counts of a route");
	for (int i = 0; i < 2; i++)
		if (acls[i] >= 0)
			ws_router_acl(router, (uint32_t)acls[i], tag, rules, counts, RULES);
	int count = ws_router_interfaces(router, names, 64);
	for (int i = 0; i < count; i++)
		ws_router_interface_counters(router, names[i].index, &of_interface);
	for (uint16_t i = 0; i < CHURN_PORTS; i++)
		ws_port_counters(i, &of_port);
	if (!churn_draw(row, 8))
		ws_router_clear_maxima(router);
}
