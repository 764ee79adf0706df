/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random changes of everything that can be changed under traffic: test_churn WORKERS CHANGES
 * [SEED]. Afterwards every packet is accounted for. The address sanitizer finds memory that is
 * freed too early; tools/tsan.sh uses the thread sanitizer.
 */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"

#include "dev/pool.h"
#include "router/interface/interface_make.h"
#include "router/router.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct ws_router *router;

static void add_route(struct ws_prefix prefix, struct ws_address next_hop)
{
	struct ws_route route = {
		.prefix = prefix, .path_count = 1, .paths = {{.next_hop = next_hop, .interface = -1}}};
	churn_expect(ws_router_route_add(router, &route, false), "route");
}

/* e3 has no address, so that bonds can use it. */
static void make_router(void)
{
	const struct ws_router_config config = {
		.max_ip4_routes = 4096, .max_ip6_routes = 4096, .max_neighbors = 256};
	router = ws_router_create(&config);
	churn_expect(router ? 0 : -1, "router");
	for (uint16_t i = 0; i < CHURN_WIRES; i++) {
		churn_expect(ws_router_set_mac(router, i, CHURN_ROUTER_MAC(i)), "mac");
		churn_expect(ws_router_set_state(router, i, true), "state");
	}
	churn_expect(ws_router_set_mac(router, CHURN_SHM, CHURN_ROUTER_MAC(CHURN_WIRES)), "mac");
	churn_expect(ws_router_set_state(router, CHURN_SHM, true), "state");
	churn_expect(ws_router_set_state(router, CHURN_NONE, true), "state");
	for (uint16_t wire = 0; wire <= CHURN_WIRES; wire++) {
		uint16_t index = wire < CHURN_WIRES ? wire : CHURN_SHM;
		if (index == CHURN_BONDED)
			continue;
		churn_expect(ws_router_address_add(router, index, PREFIX(10, 0, wire, 1, 24)), "address");
		churn_expect(
			ws_router_address_add(router, index, (struct ws_prefix){CHURN_IP6(wire, 1), 64}),
			"address");
	}
	churn_expect(ws_router_address_add(router, CHURN_NONE, PREFIX(10, 19, 0, 1, 24)), "address");
	churn_expect(ws_router_neighbor_add(router, CHURN_NONE, ADDRESS(10, 19, 0, 2), rig_host[1]),
				 "neighbor");
	churn_expect(ws_router_neighbor_add(router, 1, ADDRESS(10, 0, 1, 200), rig_host[1]),
				 "neighbor");
	add_route(PREFIX(48, 0, 0, 0, 8), ADDRESS(10, 0, 1, 200));
	add_route(PREFIX(50, 0, 0, 0, 8), ADDRESS(10, 19, 0, 2));
	/* The far ends belong to the rig. */
	for (uint16_t i = CHURN_FAR; i < 2 * CHURN_WIRES; i++)
		interface_free(router, i);
	interface_free(router, CHURN_SHM_FAR);
}

static struct ws_router_totals totals(void)
{
	struct ws_router_totals sum = {0}, one;
	for (uint16_t i = 0; i < router->worker_count; i++) {
		churn_expect(ws_router_totals(router, i, &one), "totals");
		sum.rx_packets += one.rx_packets;
		sum.made += one.made;
		sum.tx_packets += one.tx_packets;
		sum.drops += one.drops;
		sum.punts += one.punts;
		sum.held += one.held;
	}
	return sum;
}

static bool is_quiet(void)
{
	struct ws_router_totals before = totals();
	churn_take_rest();
	usleep(20000);
	struct ws_router_totals after = totals();
	return before.rx_packets == after.rx_packets && before.made == after.made &&
		   after.rx_packets + after.made ==
			   after.tx_packets + after.drops + after.punts + after.held;
}

static int check_balance(void)
{
	enum { PATIENCE = 500 };
	int looks = 0;
	while (!is_quiet() && looks++ < PATIENCE)
		;
	ws_router_stop(router);
	churn_take_rest();
	struct ws_router_totals all = totals();
	uint64_t in = all.rx_packets + all.made;
	uint64_t out = all.tx_packets + all.drops + all.punts + all.held;
	printf("%lu received, %lu made; %lu sent, %lu dropped, %lu punted, %lu held\n", all.rx_packets,
		   all.made, all.tx_packets, all.drops, all.punts, all.held);
	ws_router_destroy(router);
	churn_empty();
	uint32_t left = rte_mempool_in_use_count(ports_pool());
	if (in != out || left || !all.tx_packets)
		fprintf(stderr, "%lu packets in and %lu out; %u buffers stay behind\n", in, out, left);
	return in != out || left || !all.tx_packets;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s WORKERS CHANGES [SEED]\n", argv[0]);
		return 2;
	}
	churn_open((uint16_t)atoi(argv[1]), true);
	make_router();
	churn_expect(ws_router_start(router), "start");
	churn_traffic_begin();
	churn_changes(router, (uint32_t)atoi(argv[2]), argc > 3 ? (uint64_t)atoll(argv[3]) : 1);
	uint64_t came = churn_traffic_end();
	printf("%lu packets came back\n", came);
	int failed = check_balance();
	churn_close();
	return failed || !came;
}
