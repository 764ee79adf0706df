/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NIC driver layer, with a virtual device that behaves like a NIC: the linker puts the
 * functions named __wrap_… between wirespeed and DPDK. They refuse, lose and stay silent like the
 * drivers of e1000e, igb and vmxnet3 (tests/vm uses the real ones), and like drivers of NICs that
 * are not available in guests: i40e, ice, mlx4.
 */
#include "cmocka_all.h"
#include "wirespeed/ports.h"

#include "dev/ethdev/admission.h"
#include "dev/ethdev/nic_policy.h"
#include "dev/ethdev/removal.h"
#include "dev/pool.h"
#include "dev/port.h"
#include "router/router.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/linux.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <dirent.h>
#include <errno.h>
#include <rte_bus_vdev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NIC, OTHER, PORTS, FCS = 4, QUEUES = 2, RETA = 128 };

static struct {
	bool all_multicast, started, has_link, is_pulled;
	bool scatters, has_list;
	uint64_t refused_rss;
	uint16_t mtu;
	int starts, stops, configures, resets, reset_error, lists;
	uint32_t listed;
	struct rte_ether_addr list[8];
	struct rte_eth_conf conf;
	uint64_t rx_offloads, tx_offloads; /* of the queues */
	uint16_t reta[RETA];
	rte_eth_dev_cb_fn reset_callback;
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
		.is_pci = true,
		.keeps_to_mtu = true,
		.filters_groups = true,
		.restarts = true,
		.scatters = nic.scatters,
		.fcs_bytes = FCS,
	};
}

/* Two ports of one device, as in ConnectX-3. */
static const char twins_name[] = "0000:af:00.0";
static uint64_t twins_device;
static bool has_twins;
static int twins_probes, twins_removals;

static bool is_twin(uint16_t id)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "";
	return has_twins && !rte_eth_dev_get_name_by_port(id, name) && strstr(name, "net_null9");
}

int __real_rte_dev_probe(const char *devargs);
int __wrap_rte_dev_probe(const char *devargs)
{
	if (strncmp(devargs, twins_name, strlen(twins_name)))
		return __real_rte_dev_probe(devargs);
	twins_probes++;
	has_twins = true;
	int error = rte_vdev_init("net_null98", "no-rx=1");
	return error ? error : rte_vdev_init("net_null99", "no-rx=1");
}

const char *__real_rte_dev_name(const struct rte_device *device);
const char *__wrap_rte_dev_name(const struct rte_device *device)
{
	return (const void *)device == &twins_device ? twins_name : __real_rte_dev_name(device);
}

int __real_rte_dev_remove(struct rte_device *device);
int __wrap_rte_dev_remove(struct rte_device *device)
{
	if ((const void *)device != &twins_device)
		return __real_rte_dev_remove(device);
	twins_removals++;
	has_twins = false;
	rte_vdev_uninit("net_null98");
	return rte_vdev_uninit("net_null99");
}

int __real_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int error = __real_rte_eth_dev_info_get(id, info);
	if (is_twin(id))
		info->device = (struct rte_device *)&twins_device;
	if (id != NIC)
		return error;
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	info->flow_type_rss_offloads =
		RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_MPLS | RTE_ETH_RSS_ESP;
	info->hash_key_size = 52;
	info->reta_size = RETA;
	info->max_mtu = 9000;
	return error;
}

/* Offloads that the virtual device lacks are left out. */
int __real_rte_eth_dev_configure(uint16_t id, uint16_t rx, uint16_t tx,
								 const struct rte_eth_conf *conf);
int __wrap_rte_eth_dev_configure(uint16_t id, uint16_t rx, uint16_t tx,
								 const struct rte_eth_conf *conf)
{
	static const struct rte_eth_conf plain;
	if (id != NIC)
		return __real_rte_eth_dev_configure(id, rx, tx, conf);
	assert_false(nic.started);
	nic.configures++;
	if (conf->rx_adv_conf.rss_conf.rss_hf & nic.refused_rss)
		return -EINVAL;
	nic.conf = *conf;
	nic.mtu = conf->rxmode.mtu;
	return __real_rte_eth_dev_configure(id, rx, tx, &plain);
}

int __real_rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t slots, unsigned int socket,
								  const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
int __wrap_rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t slots, unsigned int socket,
								  const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	if (id == NIC)
		nic.rx_offloads = conf->offloads;
	return __real_rte_eth_rx_queue_setup(id, queue, slots, socket, id == NIC ? NULL : conf, pool);
}

int __real_rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t slots, unsigned int socket,
								  const struct rte_eth_txconf *conf);
int __wrap_rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t slots, unsigned int socket,
								  const struct rte_eth_txconf *conf)
{
	if (id == NIC)
		nic.tx_offloads = conf->offloads;
	return __real_rte_eth_tx_queue_setup(id, queue, slots, socket, id == NIC ? NULL : conf);
}

int __wrap_rte_eth_dev_rss_reta_update(uint16_t id, struct rte_eth_rss_reta_entry64 *table,
									   uint16_t size)
{
	if (id != NIC)
		return -ENOTSUP;
	assert_int_equal(size, RETA);
	for (uint16_t i = 0; i < size; i++)
		if (table[i / 64].mask >> i % 64 & 1)
			nic.reta[i] = table[i / 64].reta[i % 64];
	return 0;
}

int __real_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
										 rte_eth_dev_cb_fn callback, void *argument);
int __wrap_rte_eth_dev_callback_register(uint16_t id, enum rte_eth_event_type event,
										 rte_eth_dev_cb_fn callback, void *argument)
{
	if (event == RTE_ETH_EVENT_INTR_RESET)
		nic.reset_callback = callback;
	return __real_rte_eth_dev_callback_register(id, event, callback, argument);
}

int __wrap_rte_eth_dev_reset(uint16_t id)
{
	(void)id;
	nic.resets++;
	nic.mtu = 1500;
	return nic.reset_error;
}

int __wrap_rte_eth_dev_set_mc_addr_list(uint16_t id, struct rte_ether_addr *groups, uint32_t count)
{
	if (id != NIC || !nic.has_list || count > RTE_DIM(nic.list))
		return -ENOTSUP;
	nic.lists++;
	nic.listed = count;
	memcpy(nic.list, groups, count * sizeof(*groups));
	return 0;
}

int __wrap_rte_eth_allmulticast_disable(uint16_t id)
{
	nic.all_multicast &= id != NIC;
	return 0;
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

/* Its counters restart at 0, as with vmxnet3. */
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

/* Refused while it runs, as by i40e, ice and iavf. */
int __wrap_rte_eth_dev_set_mtu(uint16_t id, uint16_t mtu)
{
	if (id != NIC)
		return 0;
	if (nic.started)
		return -EBUSY;
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

static bool is_listed(const char *group)
{
	struct rte_ether_addr wanted;
	rte_ether_unformat_addr(group, &wanted);
	for (uint32_t i = 0; i < nic.listed; i++)
		if (rte_is_same_ether_addr(&nic.list[i], &wanted))
			return true;
	return false;
}

static struct ws_prefix ip6(uint8_t last)
{
	return (struct ws_prefix){
		.address = {WS_IP6, {0x20, 0x01, 0x0d, 0xb8, [13] = 0xaa, [15] = last}}, .length = 64};
}

static void groups_are_listed_where_the_nic_can(void **state)
{
	(void)state;
	expect(ws_router_set_state(router, NIC, true));
	nic.has_list = true;
	expect(ws_router_address_add(router, NIC, ip6(1)));
	assert_false(nic.all_multicast);
	assert_true(is_listed("33:33:00:00:00:01"));
	assert_true(is_listed("33:33:00:00:00:02"));
	assert_true(is_listed("33:33:ff:aa:00:01"));
	/* including that of the link-local address */
	assert_int_equal(nic.listed, 4);
	/* A start clears them. */
	int lists = nic.lists;
	expect(ws_router_set_state(router, NIC, false));
	expect(ws_router_set_state(router, NIC, true));
	assert_int_equal(nic.lists, lists + 1);
	/* More than the NIC has room for: all groups are admitted. */
	for (uint8_t i = 2; i < 9; i++)
		expect(ws_router_address_add(router, NIC, ip6(i)));
	assert_true(nic.all_multicast);
	for (uint8_t i = 2; i < 9; i++)
		expect(ws_router_address_del(router, NIC, ip6(i)));
	assert_false(nic.all_multicast);
	/* On a paired interface Linux may join any group. */
	expect(ws_router_lcp_pair(router, NIC, OTHER));
	assert_true(nic.all_multicast);
	expect(ws_router_lcp_unpair(router, NIC));
	assert_false(nic.all_multicast);
	expect(ws_router_address_del(router, NIC, ip6(1)));
	assert_int_equal(nic.listed, 2);
	nic.has_list = false;
	expect(ws_router_address_add(router, NIC, ip6(1)));
	assert_true(nic.all_multicast);
	expect(ws_router_address_del(router, NIC, ip6(1)));
	expect(ws_router_set_state(router, NIC, false));
}

static void what_is_hashed_is_what_the_nic_can_spread(void **state)
{
	(void)state;
	const struct rte_eth_rss_conf *rss = &nic.conf.rx_adv_conf.rss_conf;
	int of_queue[QUEUES] = {0};
	/* The driver offers MPLS and refused it; the rest was requested again. */
	assert_int_equal(rss->rss_hf, RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP);
	assert_int_equal(nic.conf.rxmode.mq_mode, RTE_ETH_MQ_RX_RSS);
	assert_int_equal(rss->rss_key_len, 52);
	assert_non_null(rss->rss_key);
	for (int i = 0; i < RETA; i++)
		of_queue[nic.reta[i]]++;
	for (int i = 0; i < QUEUES; i++)
		assert_int_equal(of_queue[i], RETA / QUEUES);
}

static void offloads_are_those_that_are_offered_and_needed(void **state)
{
	(void)state;
	const struct nic_policy can = {.scatters = true}, cannot = {0};
	const struct rte_eth_dev_info info = {
		.tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE,
		.flow_type_rss_offloads = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_S_VLAN | RTE_ETH_RSS_MPLS |
								  RTE_ETH_RSS_LEVEL_MASK | RTE_ETH_RSS_ETH,
	};
	const struct rte_eth_dev_info none = {0};
	struct nic_wish wish = {.rx_queues = 4, .mtu = 1500, .capacity = 2048};
	struct nic_offloads offloads = nic_offloads_of(&can, &info, &wish);
	assert_int_equal(offloads.rx | offloads.tx, 0);
	assert_int_equal(offloads.rss, RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_S_VLAN | RTE_ETH_RSS_MPLS |
									   RTE_ETH_RSS_LEVEL_INNERMOST);
	assert_true(nic_hash_less(&offloads));
	assert_int_equal(offloads.rss, RTE_ETH_RSS_IPV4);
	assert_true(nic_hash_less(&offloads));
	assert_int_equal(offloads.rss, 0);
	assert_false(nic_hash_less(&offloads));
	wish.mtu = 9000;
	offloads = nic_offloads_of(&can, &info, &wish);
	assert_int_equal(offloads.rx, RTE_ETH_RX_OFFLOAD_SCATTER);
	assert_int_equal(offloads.tx, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_int_equal(nic_offloads_of(&cannot, &info, &wish).rx, 0);
	wish.chains = true;
	assert_int_equal(nic_offloads_of(&cannot, &info, &wish).tx, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_int_equal(nic_offloads_of(&cannot, &none, &wish).tx, 0);
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

/* There is no event for it. */
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

static uint16_t gone[WS_MAX_PORTS];

static void a_nic_that_is_pulled_leaves_the_others(void **state)
{
	(void)state;
	struct ws_port_info info;
	struct ws_port_counters counters;
	nic.is_pulled = true;
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

/* ice, iavf and hns3 request resets like this, from their interrupt thread. */
static void ask_for_reset(void)
{
	nic.reset_callback(NIC, RTE_ETH_EVENT_INTR_RESET, (void *)(uintptr_t)NIC, NULL);
}

static void a_nic_that_asks_for_a_reset_goes_on_as_it_was(void **state)
{
	(void)state;
	struct ws_port_counters before, after;
	int configures = nic.configures;
	expect(ws_port_counters(NIC, &before));
	nic.scatters = true; /* after the reset the driver supports more */
	ask_for_reset();
	assert_int_equal(ws_router_follow_links(router, gone), 0);
	assert_int_equal(nic.resets, 1);
	assert_true(nic.configures > configures);
	assert_true(nic.started);
	assert_int_equal(nic.mtu, 2026);
	assert_true(has_link(NIC));
	expect(ws_port_counters(NIC, &after));
	assert_int_equal(after.rx_packets, before.rx_packets);
	assert_int_equal(ws_router_follow_links(router, gone), 0);
	assert_int_equal(nic.resets, 1);
	/* A reset does not start a port that is down. */
	expect(ws_router_set_state(router, NIC, false));
	ask_for_reset();
	assert_int_equal(ws_router_follow_links(router, gone), 0);
	assert_false(nic.started);
	expect(ws_router_set_state(router, NIC, true));
	assert_true(nic.started);
}

/* An MTU that needs scattering reconfigures the device with its queues. */
static void a_nic_that_scatters_takes_longer_packets_than_buffers(void **state)
{
	(void)state;
	assert_int_equal(nic.conf.rxmode.offloads, 0);
	assert_int_equal(nic.tx_offloads, 0);
	expect(ws_router_set_mtu(router, NIC, 9000));
	assert_int_equal(nic.mtu, 9000);
	assert_int_equal(nic.conf.rxmode.mtu, 9000);
	assert_int_equal(nic.conf.rxmode.offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	assert_int_equal(nic.conf.txmode.offloads, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_int_equal(nic.rx_offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	assert_int_equal(nic.tx_offloads, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_true(nic.started);
	/* The driver's maximum is the limit. */
	assert_true(ws_router_set_mtu(router, NIC, 9001) < 0);
	assert_non_null(strstr(ws_error(), "9000"));
	assert_int_equal(nic.mtu, 9000);
	int configures = nic.configures;
	expect(ws_router_set_mtu(router, NIC, 4000));
	assert_int_equal(nic.configures, configures);
	expect(ws_router_set_mtu(router, NIC, 1500));
	assert_int_equal(nic.conf.rxmode.offloads, 0);
	assert_int_equal(nic.rx_offloads, 0);
	assert_true(nic.started);
	assert_true(has_link(NIC));
}

static struct ws_port_config port_of(const char *name, const char *devargs)
{
	struct ws_port_config config = {
		.rx_queues = 1, .tx_queues = 1, .rx_descriptors = 64, .tx_descriptors = 64, .mtu = 1500};
	snprintf(config.name, sizeof(config.name), "%s", name);
	snprintf(config.devargs, sizeof(config.devargs), "%s", devargs);
	return config;
}

static void two_ports_share_a_pci_address(void **state)
{
	(void)state;
	struct ws_port_config first = port_of("t0", twins_name), second = port_of("t1", twins_name);
	uint16_t before = rte_eth_dev_count_avail();
	assert_int_equal(ws_port_add(&first), -ENODEV);
	assert_non_null(strstr(ws_error(), "has 2 ports; say which one with port=0 to port=1"));
	assert_int_equal(rte_eth_dev_count_avail(), before);
	first.has_device_port = second.has_device_port = true;
	second.device_port = 2;
	assert_int_equal(ws_port_add(&second), -ENODEV);
	assert_int_equal(rte_eth_dev_count_avail(), before);
	second.device_port = 1;
	twins_probes = twins_removals = 0;
	int t1 = ws_port_add(&second), t0 = ws_port_add(&first);
	expect(t0);
	expect(t1);
	assert_int_equal(twins_probes, 1);
	struct ws_port_info of_t0, of_t1;
	expect(ws_port_info((uint16_t)t0, &of_t0));
	expect(ws_port_info((uint16_t)t1, &of_t1));
	assert_memory_not_equal(of_t0.mac, of_t1.mac, sizeof(of_t0.mac));
	assert_int_equal(ws_port_add(&second), -EEXIST);
	/* The device is detached with the last port. */
	expect(ws_port_delete((uint16_t)t1));
	assert_int_equal(twins_removals, 0);
	expect(ws_port_info((uint16_t)t0, &of_t0));
	expect(ws_port_delete((uint16_t)t0));
	assert_int_equal(twins_removals, 1);
	assert_int_equal(rte_eth_dev_count_avail(), before);
}

static int count_descriptors(void)
{
	int count = 0;
	DIR *directory = opendir("/proc/self/fd");
	while (directory && readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static int count_devargs(void)
{
	struct rte_devargs *devargs;
	int count = 0;
	RTE_EAL_DEVARGS_FOREACH("vdev", devargs)
	{
		count++;
	}
	return count;
}

/* Neither ports nor sockets, nor a device that still occupies its name. */
static void a_device_that_fails_leaves_nothing(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"net_null7,size=-1",
		"net_af_packet7,iface=there-is-none",
		"net_pcap7,rx_pcap=/nowhere.pcap",
		"net_nothing7",
		"0000:fe:1e.7",
	};
	uint16_t ports = rte_eth_dev_count_avail();
	int descriptors = count_descriptors(), devargs = count_devargs();
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < RTE_DIM(bad); i++) {
			const struct ws_port_config config = port_of("bad", bad[i]);
			assert_true(ws_port_add(&config) < 0);
			assert_non_null(strstr(ws_error(), "cannot open"));
			assert_int_equal(rte_eth_dev_count_avail(), ports);
			assert_int_equal(count_descriptors(), descriptors);
			assert_int_equal(count_devargs(), devargs);
		}
	/* A port that can be opened but not configured. */
	struct ws_port_config config = port_of("bad", "net_null7");
	config.mtu = 9000;
	nic.scatters = false;
	assert_int_equal(ws_port_add(&config), -EMSGSIZE);
	assert_int_equal(rte_eth_dev_count_avail(), ports);
	config.mtu = 1500;
	int good = ws_port_add(&config);
	expect(good);
	expect(ws_port_delete((uint16_t)good));
	assert_int_equal(count_devargs(), devargs);
}

static void a_nic_that_no_reset_mends_is_gone(void **state)
{
	(void)state;
	nic.reset_error = -EIO;
	nic.reset_callback(OTHER, RTE_ETH_EVENT_INTR_RESET, (void *)(uintptr_t)OTHER, NULL);
	assert_int_equal(ws_router_follow_links(router, gone), 1);
	assert_int_equal(gone[0], OTHER);
	struct ws_port_info info;
	expect(ws_port_info(OTHER, &info));
	assert_true(info.removed);
	assert_false(has_link(OTHER));
	expect(ws_router_poll(router));
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
	info.max_mtu = 9000;
	info.rx_offload_capa = RTE_ETH_RX_OFFLOAD_SCATTER;
	/* It accepts 9000, and then neither starts nor receives frames longer than one buffer. */
	const struct nic_policy vmxnet3 = __real_nic_policy_of(&info);
	assert_false(vmxnet3.scatters);
	assert_int_equal(nic_most_mtu(&vmxnet3, &info), 2026);
	info.rx_offload_capa = 0;
	assert_false(__real_nic_policy_of(&info).tells_of_links);
	assert_false(__real_nic_policy_of(&info).lingers);
	info.driver_name = "net_virtio";
	assert_true(__real_nic_policy_of(&info).lingers);
	assert_false(__real_nic_policy_of(&info).filters_vlans); /* vhost-user has no table of VLANs */
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
		/* It receives nothing, so that its worker has time for others. */
		snprintf(ports[i].devargs, sizeof(ports[i].devargs), "net_null%d,no-rx=1", i);
		ports[i].rx_queues = ports[i].tx_queues = QUEUES;
		ports[i].rx_descriptors = ports[i].tx_descriptors = 64;
		ports[i].mtu = 1500;
	}
	nic.has_link = true;
	nic.refused_rss = RTE_ETH_RSS_MPLS;
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
	admission_open(&admission, NIC, &filtering, true); /* promiscuous mode admits all of them */
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
		cmocka_unit_test(what_is_hashed_is_what_the_nic_can_spread),
		cmocka_unit_test(offloads_are_those_that_are_offered_and_needed),
		cmocka_unit_test(groups_are_listed_where_the_nic_can),
		cmocka_unit_test(vlans_are_let_in_once_where_they_are_filtered),
		cmocka_unit_test(a_nic_runs_while_its_interface_is_up),
		cmocka_unit_test(an_mtu_is_set_by_stopping),
		cmocka_unit_test(an_mtu_above_the_buffers_names_them),
		cmocka_unit_test(a_lost_link_is_seen),
		cmocka_unit_test(bytes_are_without_fcs_and_survive_a_stop),
		cmocka_unit_test(a_nic_that_asks_for_a_reset_goes_on_as_it_was),
		cmocka_unit_test(a_nic_that_scatters_takes_longer_packets_than_buffers),
		cmocka_unit_test(two_ports_share_a_pci_address),
		cmocka_unit_test(a_device_that_fails_leaves_nothing),
		cmocka_unit_test(a_nic_that_is_pulled_leaves_the_others),
		cmocka_unit_test(a_nic_that_no_reset_mends_is_gone),
		cmocka_unit_test(drivers_differ),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
