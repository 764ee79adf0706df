/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done with real NICs, shown with a virtual device that behaves like one: the linker puts
 * the functions named __wrap_… between ours and DPDK's, which here refuse, lose and keep silent as
 * the drivers of e1000e, igb and vmxnet3 do (tests/vm shows those themselves).
 */
#include "cmocka_all.h"

#include "dev/ethdev/admission.h"
#include "dev/ethdev/nic_policy.h"
#include "dev/ethdev/removal.h"
#include "dev/port.h"
#include "router/router.h"

#include <errno.h>
#include <rte_ethdev.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NIC, OTHER, PORTS, FCS = 4 };

static struct {
	bool all_multicast, started, has_link, is_pulled;
	uint16_t mtu;
	int starts, stops;
	struct rte_eth_stats stats;
} nic;
static struct ws_router *router;

static void expect(int result)
{
	if (result < 0)
		fail_msg("%s", ws_error());
}

/* ---- The driver ---- */

struct nic_policy __real_nic_policy_of(const struct rte_eth_dev_info *info);
struct nic_policy __wrap_nic_policy_of(const struct rte_eth_dev_info *info)
{
	(void)info;
	return (struct nic_policy){
		.is_pci = true, .filters_groups = true, .restarts = true, .fcs_bytes = FCS};
}

int __wrap_rte_eth_allmulticast_enable(uint16_t id)
{
	nic.all_multicast |= id == NIC;
	return 0;
}

static uint32_t vlans_asked;
static uint64_t vlans[4096 / 64];
int __wrap_rte_eth_dev_vlan_filter(uint16_t id, uint16_t vlan, int on)
{
	assert_int_equal(id, NIC);
	assert_true(on);
	vlans_asked++;
	vlans[vlan / 64] |= UINT64_C(1) << vlan % 64;
	return 0;
}

int __real_rte_eth_dev_start(uint16_t id);
int __wrap_rte_eth_dev_start(uint16_t id)
{
	if (id == NIC) {
		nic.started = true;
		nic.starts++;
	}
	return __real_rte_eth_dev_start(id);
}

/* Its counters begin anew, as vmxnet3's. */
int __real_rte_eth_dev_stop(uint16_t id);
int __wrap_rte_eth_dev_stop(uint16_t id)
{
	if (id == NIC) {
		nic.started = false;
		nic.stops++;
		memset(&nic.stats, 0, sizeof(nic.stats));
	}
	return __real_rte_eth_dev_stop(id);
}

int __wrap_rte_eth_dev_get_mtu(uint16_t id, uint16_t *mtu)
{
	*mtu = id == NIC ? nic.mtu : 1500;
	return 0;
}

/* Not while it runs, as igb and virtio. */
int __wrap_rte_eth_dev_set_mtu(uint16_t id, uint16_t mtu)
{
	if (id != NIC)
		return 0;
	if (nic.started)
		return -EINVAL;
	nic.mtu = mtu;
	return 0;
}

int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	*link = (struct rte_eth_link){.link_status = id != NIC || nic.has_link};
	return 0;
}

int __wrap_rte_eth_stats_get(uint16_t id, struct rte_eth_stats *stats)
{
	*stats = id == NIC ? nic.stats : (struct rte_eth_stats){0};
	return 0;
}

bool __wrap_removal_is_wanted(uint16_t port)
{
	return port == NIC && nic.is_pulled;
}

/* ---- The tests ---- */

static bool has_link(uint16_t index)
{
	struct ws_interface interface;
	expect(ws_router_interface(router, index, &interface));
	return interface.link_up;
}

static void groups_are_let_in(void **state)
{
	(void)state;
	assert_true(nic.all_multicast);
}

static void a_nic_runs_while_its_interface_is_up(void **state)
{
	(void)state;
	assert_false(nic.started);
	assert_false(has_link(NIC));
	expect(ws_router_set_state(router, NIC, true));
	assert_true(nic.started);
	assert_true(has_link(NIC));
	expect(ws_router_set_state(router, NIC, false));
	assert_false(nic.started);
	assert_false(has_link(NIC));
	int stops = nic.stops;
	expect(ws_router_set_state(router, NIC, false));
	assert_int_equal(nic.stops, stops);
	expect(ws_router_set_state(router, NIC, true));
	assert_true(has_link(NIC));
}

static void an_mtu_is_set_by_stopping(void **state)
{
	(void)state;
	int starts = nic.starts;
	expect(ws_router_set_mtu(router, NIC, 1800));
	assert_int_equal(nic.mtu, 1800);
	assert_int_equal(nic.starts, starts + 1);
	assert_true(nic.started);
	assert_true(has_link(NIC));
	expect(ws_router_set_mtu(router, NIC, 1800));
	assert_int_equal(nic.starts, starts + 1);
}

static void an_mtu_above_the_buffers_names_them(void **state)
{
	(void)state;
	int stops = nic.stops;
	assert_int_equal(ws_router_set_mtu(router, NIC, 9000), -EMSGSIZE);
	assert_non_null(strstr(ws_error(), "data-size 9216"));
	assert_int_equal(nic.mtu, 1800);
	assert_int_equal(nic.stops, stops);
	/* The buffers hold 2 048 bytes: 22 of them are the header and two tags. */
	expect(ws_router_set_mtu(router, NIC, 2026));
	assert_int_equal(ws_router_set_mtu(router, NIC, 2027), -EMSGSIZE);
}

/* Nothing tells of it. */
static void a_lost_link_is_seen(void **state)
{
	(void)state;
	nic.has_link = false;
	expect(ws_router_poll(router));
	assert_false(has_link(NIC));
	assert_true(has_link(OTHER));
	nic.has_link = true;
	expect(ws_router_poll(router));
	assert_true(has_link(NIC));
}

static void bytes_are_without_fcs_and_survive_a_stop(void **state)
{
	(void)state;
	struct ws_port_counters counters;
	nic.stats = (struct rte_eth_stats){.ipackets = 10, .ibytes = 640, .opackets = 5, .obytes = 320};
	expect(ws_port_counters(NIC, &counters));
	assert_int_equal(counters.rx_bytes, 600);
	assert_int_equal(counters.tx_bytes, 300);
	nic.stats.ipackets++;
	nic.stats.ibytes += 64;
	expect(ws_router_set_state(router, NIC, false));
	expect(ws_router_set_state(router, NIC, true));
	expect(ws_port_counters(NIC, &counters));
	assert_int_equal(counters.rx_packets, 11);
	assert_int_equal(counters.rx_bytes, 660);
}

static void a_nic_that_is_pulled_leaves_the_others(void **state)
{
	(void)state;
	struct ws_port_info info;
	struct ws_port_counters counters;
	nic.is_pulled = true;
	uint16_t gone[WS_MAX_PORTS];
	assert_int_equal(ws_router_follow_links(router, gone), 1);
	assert_int_equal(gone[0], NIC);
	assert_int_equal(ws_router_follow_links(router, gone), 0);
	expect(ws_port_info(NIC, &info));
	assert_true(info.removed);
	assert_false(has_link(NIC));
	expect(ws_port_counters(NIC, &counters));
	assert_int_equal(counters.rx_packets, 11);
	expect(ws_router_set_state(router, NIC, false));
	assert_int_equal(ws_router_set_state(router, NIC, true), -ENODEV);
	assert_int_equal(ws_router_set_mtu(router, NIC, 3000), -ENODEV);
	assert_true(has_link(OTHER));
	expect(ws_router_interface_delete(router, NIC));
	assert_true(has_link(OTHER));
}

static void drivers_differ(void **state)
{
	(void)state;
	static const uint32_t flags = RTE_ETH_DEV_INTR_LSC;
	struct rte_eth_dev_info info = {.driver_name = "net_e1000_em", .dev_flags = &flags};
	assert_true(__real_nic_policy_of(&info).tells_of_links);
	assert_int_equal(__real_nic_policy_of(&info).fcs_bytes, FCS);
	info.driver_name = "net_e1000_igb";
	assert_int_equal(__real_nic_policy_of(&info).fcs_bytes, 0);
	info.driver_name = "net_vmxnet3";
	assert_false(__real_nic_policy_of(&info).tells_of_links);
	assert_false(__real_nic_policy_of(&info).lingers);
	info.driver_name = "net_virtio";
	assert_true(__real_nic_policy_of(&info).lingers);
	assert_false(__real_nic_policy_of(&info).filters_vlans); /* vhost-user has no table of them */
	info.rx_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	assert_true(__real_nic_policy_of(&info).filters_vlans);
	assert_int_equal(nic_most_speed_bps(RTE_ETH_LINK_SPEED_1G | RTE_ETH_LINK_SPEED_10M),
					 1000000000);
	assert_int_equal(nic_most_speed_bps(0), 0);
}

static int start(void **state)
{
	(void)state;
	struct ws_runtime_config runtime = {.memory_mb = 128, .worker_count = 1};
	struct ws_router_config config = {
		.max_ip4_routes = 1024, .max_ip6_routes = 1024, .max_neighbors = 64};
	struct ws_port_config ports[PORTS] = {0};
	cpu_set_t mine;
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET(runtime.worker_cpus[0], &mine))
		runtime.worker_cpus[0]++;
	snprintf(runtime.program, sizeof(runtime.program), "nic");
	expect(ws_runtime_init(&runtime));
	for (int i = 0; i < PORTS; i++) {
		snprintf(ports[i].name, sizeof(ports[i].name), "e%d", i);
		/* It brings nothing, so that its worker has time for others. */
		snprintf(ports[i].devargs, sizeof(ports[i].devargs), "net_null%d,no-rx=1", i);
		ports[i].rx_queues = ports[i].tx_queues = 1;
		ports[i].rx_descriptors = ports[i].tx_descriptors = 64;
		ports[i].mtu = 1500;
	}
	nic.has_link = true;
	nic.mtu = 1500;
	expect(ws_ports_open(ports, PORTS));
	router = ws_router_create(&config);
	expect(router ? 0 : -1);
	expect(ws_router_start(router));
	return ws_router_set_state(router, OTHER, true);
}

static int stop(void **state)
{
	(void)state;
	ws_router_stop(router);
	ws_router_destroy(router);
	ws_runtime_close();
	return 0;
}

static void vlans_are_let_in_once_where_they_are_filtered(void **state)
{
	(void)state;
	const struct nic_policy plain = {.is_pci = true}, filtering = {.filters_vlans = true};
	struct admission admission = {0};
	admission_open(&admission, NIC, &plain, false);
	admission_open(&admission, NIC, &filtering, true); /* takes them all as it is */
	assert_int_equal(vlans_asked, 0);
	admission_set_promiscuous(&admission, NIC, &filtering, false);
	assert_int_equal(vlans_asked, 4096);
	for (size_t i = 0; i < RTE_DIM(vlans); i++)
		assert_true(vlans[i] == UINT64_MAX);
	admission_open(&admission, NIC, &filtering, false); /* started again */
	assert_int_equal(vlans_asked, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_let_in),
		cmocka_unit_test(vlans_are_let_in_once_where_they_are_filtered),
		cmocka_unit_test(a_nic_runs_while_its_interface_is_up),
		cmocka_unit_test(an_mtu_is_set_by_stopping),
		cmocka_unit_test(an_mtu_above_the_buffers_names_them),
		cmocka_unit_test(a_lost_link_is_seen),
		cmocka_unit_test(bytes_are_without_fcs_and_survive_a_stop),
		cmocka_unit_test(a_nic_that_is_pulled_leaves_the_others),
		cmocka_unit_test(drivers_differ),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
