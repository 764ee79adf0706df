/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, describing and closing ports that DPDK's drivers make. */
#include "dev/ethdev/ethdev.h"

#include "dev/dpdk_log.h"
#include "dev/error.h"
#include "dev/ethdev/admission.h"
#include "dev/ethdev/longest.h"
#include "dev/ethdev/memif_memory.h"
#include "dev/ethdev/nic_policy.h"
#include "dev/ethdev/pause_frames.h"
#include "dev/ethdev/removal.h"
#include "dev/link.h"
#include "dev/pool.h"
#include "dev/port_name.h"

#include <errno.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <stdio.h>
#include <string.h>

struct queue {
	uint16_t id, queue, port;
};

static struct {
	uint16_t id;
	struct nic_policy policy;
	struct admission admission;
	bool link_was_up, has_queues;
	struct queue rx[WS_MAX_QUEUES], tx[WS_MAX_QUEUES];
	/* What the driver last said, and what it had counted before it began anew. */
	struct ws_port_counters last, before;
} devices[WS_MAX_PORTS];

uint16_t ethdev_id(const struct port *port)
{
	return devices[port->index].id;
}

/* ---- Packets ---- */

static uint16_t receive(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	const struct queue *queue = argument;
	return rte_eth_rx_burst(queue->id, queue->queue, packets, n);
}

/* For drivers that write another number than ours into the packets, or none. */
static uint16_t receive_numbered(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	const struct queue *queue = argument;
	n = rte_eth_rx_burst(queue->id, queue->queue, packets, n);
	for (uint16_t i = 0; i < n; i++)
		packets[i]->port = queue->port;
	return n;
}

static uint16_t transmit(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	const struct queue *queue = argument;
	return rte_eth_tx_burst(queue->id, queue->queue, packets, n);
}

static void lay_paths(struct port *port)
{
	uint16_t index = port->index, id = devices[index].id;
	struct port_path *path = &port_paths[index];
	*path = (struct port_path){
		.receive = port->hands_over || id != index ? receive_numbered : receive,
		.transmit = transmit,
	};
	for (uint16_t i = 0; i < port->rx_queues; i++) {
		devices[index].rx[i] = (struct queue){id, i, index};
		path->rx[i] = &devices[index].rx[i];
	}
	for (uint16_t i = 0; i < port->tx_queues; i++) {
		devices[index].tx[i] = (struct queue){id, i, index};
		path->tx[i] = &devices[index].tx[i];
	}
}

/* ---- Opening and closing ---- */

/* Drivers return -1 for most of what goes wrong: what they logged says more than the code. */
static const char *reason(int error)
{
	const char *said = dpdk_log_reason();
	return *said ? said : rte_strerror(-error);
}

static int probe(struct port *port)
{
	const struct ws_port_config *config = &port->config;
	uint16_t before = rte_eth_dev_count_avail();
	char name[WS_DEVARGS_LEN];
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(config->devargs, ","), config->devargs);
	dpdk_log_clear();
	int error = rte_dev_probe(config->devargs);
	if (error)
		return fail(error, "port %s: DPDK cannot open %s: %s", config->name, config->devargs,
					reason(error));
	if (rte_eth_dev_get_port_by_name(name, &devices[port->index].id))
		return fail(-ENODEV, "port %s: %s is no network device", config->name, name);
	if (rte_eth_dev_count_avail() != before + 1)
		return fail(-ENOTSUP, "port %s: %s brings ports of its own beside the one asked for",
					config->name, name);
	return 0;
}

static int link_has_changed(uint16_t port, enum rte_eth_event_type event, void *argument,
							void *result)
{
	(void)port, (void)event, (void)argument, (void)result;
	links_changed();
	return 0;
}

static int set_queues_up(struct port *port)
{
	uint16_t id = ethdev_id(port);
	int error = rte_eth_dev_adjust_nb_rx_tx_desc(id, &port->rx_descriptors, &port->tx_descriptors);
	for (uint16_t q = 0; !error && q < port->rx_queues; q++)
		error = rte_eth_rx_queue_setup(id, q, port->rx_descriptors, rte_socket_id(), NULL,
									   ports_pool());
	for (uint16_t q = 0; !error && q < port->tx_queues; q++)
		error = rte_eth_tx_queue_setup(id, q, port->tx_descriptors, rte_socket_id(), NULL);
	if (error)
		return fail(error, "port %s takes no queues of %u RX and %u TX descriptors: %s",
					port->config.name, port->rx_descriptors, port->tx_descriptors,
					rte_strerror(-error));
	return 0;
}

static int configure(struct port *port)
{
	const struct ws_port_config *config = &port->config;
	uint16_t id = ethdev_id(port);
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf = {0};
	int error = rte_eth_dev_info_get(id, &info);
	if (error)
		return fail(error, "port %s does not describe itself: %s", config->name,
					rte_strerror(-error));
	port_name_fill(port->config.name, sizeof(port->config.name), info.speed_capa);
	port->hands_over = !strcmp(info.driver_name, "net_ring");
	port->rx_queues = RTE_MAX(1, RTE_MIN(config->rx_queues, info.max_rx_queues));
	port->tx_queues = RTE_MAX(1, RTE_MIN(config->tx_queues, info.max_tx_queues));
	port->rx_descriptors = config->rx_descriptors;
	port->tx_descriptors = config->tx_descriptors;
	if (port->rx_queues > 1 && info.flow_type_rss_offloads) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf =
			info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
	}
	devices[port->index].policy = nic_policy_of(&info);
	port->stops = devices[port->index].policy.restarts;
	conf.intr_conf.lsc = devices[port->index].policy.tells_of_links;
	if (devices[port->index].policy.filters_vlans)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	if (conf.intr_conf.lsc)
		rte_eth_dev_callback_register(id, RTE_ETH_EVENT_INTR_LSC, link_has_changed, NULL);
	/* Sleeping until packets come is for drivers that can; the others may refuse to be asked. */
	conf.intr_conf.rxq = 1;
	error = rte_eth_dev_configure(id, port->rx_queues, port->tx_queues, &conf);
	conf.intr_conf.rxq = 0;
	if (error)
		error = rte_eth_dev_configure(id, port->rx_queues, port->tx_queues, &conf);
	if (error)
		return fail(error, "port %s takes no %u RX and %u TX queues: %s", config->name,
					port->rx_queues, port->tx_queues, rte_strerror(-error));
	error = longest_check(port, &info);
	if (!error)
		error = set_queues_up(port);
	devices[port->index].has_queues = !error;
	return error;
}

/* An interrupt that is still waited for when its descriptor goes ends the program (EAL panics): one
 * that stands since it was configured goes with a stop, and none but what was started is stopped.
 */
static void let_go_of_interrupts(struct port *port)
{
	bool never_ran = !port->started && devices[port->index].has_queues;
	if (devices[port->index].policy.lingers && never_ran)
		port->started = !rte_eth_dev_start(ethdev_id(port));
}

/* Unplugged as well, so that another one may bear its device's name. */
static void close_device(struct port *port)
{
	uint16_t id = ethdev_id(port);
	struct rte_eth_dev_info info = {0};
	if (rte_eth_dev_info_get(id, &info))
		info.device = NULL;
	rte_eth_dev_callback_unregister(id, RTE_ETH_EVENT_INTR_LSC, link_has_changed, NULL);
	link_unwatch(port->index);
	removal_unwatch(port->index);
	let_go_of_interrupts(port);
	if (port->started && !port->stopped)
		rte_eth_dev_stop(id);
	rte_eth_dev_close(id);
	if (info.device)
		rte_dev_remove(info.device);
}

static int open_device(struct port *port, const struct port_twins *twins)
{
	(void)twins;
	memset(&devices[port->index], 0, sizeof(devices[port->index]));
	int error = probe(port);
	if (error)
		return error;
	error = configure(port);
	if (error) {
		close_device(port);
		return error;
	}
	if (devices[port->index].policy.has_no_mac)
		rte_eth_random_addr(port->mac.addr_bytes);
	else
		rte_eth_macaddr_get(ethdev_id(port), &port->mac);
	lay_paths(port);
	return 0;
}

static void let_in(struct port *port)
{
	admission_open(&devices[port->index].admission, ethdev_id(port), &devices[port->index].policy,
				   port->promiscuous);
}

static int start(struct port *port)
{
	uint16_t id = ethdev_id(port);
	link_watch(port->index, port->config.devargs);
	int error = nic_set_mtu(port, &devices[port->index].policy, port->config.mtu);
	if (error)
		return error;
	error = rte_eth_dev_start(id);
	if (error)
		return fail(error, "port %s does not start: %s", port->config.name, rte_strerror(-error));
	if (devices[port->index].policy.is_pci)
		removal_watch(port->index, id);
	let_in(port);
	rte_eth_stats_reset(id);
	pause_frames_open(id);
	return 0;
}

static int counters(const struct port *port, struct ws_port_counters *out);

/* Some drivers count from 0 again after a start, some go on: what they said right before and right
 * after tells which (go_on). */
static int set_running(struct port *port, bool on)
{
	struct ws_port_counters now;
	uint16_t id = ethdev_id(port);
	counters(port, &now);
	int error = on ? rte_eth_dev_start(id) : rte_eth_dev_stop(id);
	if (error)
		return fail(error, "port %s does not %s: %s", port->config.name, on ? "start" : "stop",
					rte_strerror(-error));
	if (on)
		let_in(port);
	port->stopped = !on;
	counters(port, &now);
	return 0;
}

static bool is_removed(const struct port *port)
{
	return removal_is_wanted(port->index);
}

/* ---- What there is to know ---- */

static bool link_is_up(const struct port *port)
{
	struct rte_eth_link link = {0};
	bool is_up = !port->stopped && !rte_eth_link_get_nowait(ethdev_id(port), &link) &&
				 link.link_status && link_is_up_in_linux(port->index);
	bool *was_up = &devices[port->index].link_was_up;
	if (is_up && !*was_up && memif_is_driver_of(port->config.devargs))
		memif_populate_rings();
	*was_up = is_up;
	return is_up;
}

static void describe(const struct port *port, struct ws_port_info *out)
{
	uint16_t id = ethdev_id(port);
	struct rte_eth_dev_info info = {0};
	struct rte_eth_link link = {0};
	struct rte_ether_addr mac = port->mac;
	/* Of a device that is gone there is nothing to tell. */
	if (rte_eth_dev_info_get(id, &info) || rte_eth_link_get_nowait(id, &link))
		link.link_speed = RTE_ETH_SPEED_NUM_UNKNOWN;
	if (!devices[port->index].policy.has_no_mac)
		rte_eth_macaddr_get(id, &mac);
	/* The others say 1500, whatever they carry. */
	if (devices[port->index].policy.is_pci)
		rte_eth_dev_get_mtu(id, &out->mtu);
	snprintf(out->driver, sizeof(out->driver), "%s", info.driver_name);
	if (info.device)
		snprintf(out->bus_address, sizeof(out->bus_address), "%s", rte_dev_name(info.device));
	memcpy(out->mac, &mac, sizeof(out->mac));
	out->is_virtual = !devices[port->index].policy.is_pci;
	out->promiscuous = rte_eth_promiscuous_get(id) == 1;
	if (!out->speed_bps && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		out->speed_bps = link.link_speed * 1000000ULL;
	out->most_speed_bps = nic_most_speed_bps(info.speed_capa);
	out->numa = rte_eth_dev_socket_id(id);
	/* Linux says -1 on machines that have but one node. */
	if (out->numa < 0 && devices[port->index].policy.is_pci)
		out->numa = 0;
	out->max_mtu = info.max_mtu;
	longest_describe(port, &info, out);
	out->max_rx_queues = info.max_rx_queues;
	out->max_tx_queues = info.max_tx_queues;
	out->min_rx_descriptors = info.rx_desc_lim.nb_min;
	out->max_rx_descriptors = info.rx_desc_lim.nb_max;
	out->min_tx_descriptors = info.tx_desc_lim.nb_min;
	out->max_tx_descriptors = info.tx_desc_lim.nb_max;
}

/* Some drivers count from 0 again when their peer comes back (net_memif); ours count on. */
static void go_on(uint16_t index, const struct ws_port_counters *now, struct ws_port_counters *out)
{
	enum { COUNTERS = sizeof(*now) / sizeof(uint64_t) };
	uint64_t said[COUNTERS], last[COUNTERS], before[COUNTERS], total[COUNTERS];
	memcpy(said, now, sizeof(said));
	memcpy(last, &devices[index].last, sizeof(last));
	memcpy(before, &devices[index].before, sizeof(before));
	for (int i = 0; i < COUNTERS; i++) {
		before[i] += said[i] < last[i] ? last[i] : 0;
		total[i] = before[i] + said[i];
	}
	devices[index].last = *now;
	memcpy(&devices[index].before, before, sizeof(before));
	memcpy(out, total, sizeof(total));
}

static int counters(const struct port *port, struct ws_port_counters *out)
{
	struct rte_eth_stats stats;
	int error = rte_eth_stats_get(ethdev_id(port), &stats);
	if (error)
		return fail(error, "port %s gives no counters: %s", port->config.name,
					rte_strerror(-error));
	uint64_t fcs = devices[port->index].policy.fcs_bytes;
	const struct ws_port_counters now = {
		.rx_packets = stats.ipackets,
		.tx_packets = stats.opackets,
		.rx_bytes = stats.ibytes - fcs * stats.ipackets,
		.tx_bytes = stats.obytes - fcs * stats.opackets,
		.rx_missed = stats.imissed,
		.rx_errors = stats.ierrors,
		.tx_errors = stats.oerrors,
		.rx_no_buffer = stats.rx_nombuf,
	};
	go_on(port->index, &now, out);
	return 0;
}

/* ---- Settings ---- */

static void pause_frames(const struct port *port, uint64_t *received, uint64_t *sent)
{
	pause_frames_read(ethdev_id(port), received, sent);
}

static int set_mac(struct port *port, const struct rte_ether_addr *mac)
{
	struct rte_ether_addr copy = *mac;
	if (devices[port->index].policy.has_no_mac)
		return 0;
	return rte_eth_dev_default_mac_addr_set(ethdev_id(port), &copy);
}

static int set_mtu(struct port *port, uint16_t mtu)
{
	return nic_set_mtu(port, &devices[port->index].policy, mtu);
}

static int set_promiscuous(struct port *port, bool on)
{
	return admission_set_promiscuous(&devices[port->index].admission, ethdev_id(port),
									 &devices[port->index].policy, on);
}

static int set_link(struct port *port, bool up)
{
	return up ? rte_eth_dev_set_link_up(ethdev_id(port))
			  : rte_eth_dev_set_link_down(ethdev_id(port));
}

/* ---- Sleeping ---- */

static int listen_to(struct port *port, uint16_t queue, int epoll, uint16_t worker, bool on)
{
	(void)worker;
	return rte_eth_dev_rx_intr_ctl_q(ethdev_id(port), queue, epoll,
									 on ? RTE_INTR_EVENT_ADD : RTE_INTR_EVENT_DEL, NULL);
}

/* Drivers whose descriptor stays readable while there are packets need not be told. */
static void arm(struct port *port, uint16_t queue, bool on)
{
	if (on)
		rte_eth_dev_rx_intr_enable(ethdev_id(port), queue);
	else
		rte_eth_dev_rx_intr_disable(ethdev_id(port), queue);
}

const struct port_kind ethdev_kind = {
	.prefix = "",
	.driver = "",
	.open = open_device,
	.start = start,
	.set_running = set_running,
	.is_removed = is_removed,
	.close = close_device,
	.link_is_up = link_is_up,
	.counters = counters,
	.describe = describe,
	.xstats = ethdev_xstats,
	.pause_frames = pause_frames,
	.set_mac = set_mac,
	.set_mtu = set_mtu,
	.set_promiscuous = set_promiscuous,
	.set_link = set_link,
	.set_led = ethdev_set_led,
	.flow_control = ethdev_flow_control,
	.set_flow_control = ethdev_set_flow_control,
	.listen = listen_to,
	.arm = arm,
};
