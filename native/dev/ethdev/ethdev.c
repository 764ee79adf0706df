/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, describing and closing of ports with DPDK drivers. */
#include "dev/ethdev/ethdev.h"

#include "dev/error.h"
#include "dev/ethdev/device.h"
#include "dev/ethdev/longest.h"
#include "dev/ethdev/memif_memory.h"
#include "dev/ethdev/nic_set_up.h"
#include "dev/ethdev/pause_frames.h"
#include "dev/ethdev/probe.h"
#include "dev/ethdev/removal.h"
#include "dev/ethdev/reset.h"
#include "dev/link.h"
#include "dev/medium.h"
#include "dev/port_name.h"

#include <errno.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <stdio.h>
#include <string.h>

/* ---- Packets ---- */

static uint16_t receive(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	const struct ethdev_queue *queue = argument;
	return rte_eth_rx_burst(queue->id, queue->queue, packets, n);
}

/* For drivers that write another port number than the port layer's into the packets, or none. */
static uint16_t receive_numbered(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	const struct ethdev_queue *queue = argument;
	n = rte_eth_rx_burst(queue->id, queue->queue, packets, n);
	for (uint16_t i = 0; i < n; i++)
		packets[i]->port = queue->port;
	return n;
}

static uint16_t transmit(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	const struct ethdev_queue *queue = argument;
	return rte_eth_tx_burst(queue->id, queue->queue, packets, n);
}

static void lay_paths(struct port *port)
{
	struct ethdev_device *device = ethdev_device_of(port);
	uint16_t index = port->index, id = device->id;
	struct port_path *path = &port_paths[index];
	*path = (struct port_path){
		.receive = port->hands_over || id != index ? receive_numbered : receive,
		.transmit = transmit,
	};
	for (uint16_t i = 0; i < port->rx_queues; i++) {
		device->rx[i] = (struct ethdev_queue){id, i, index};
		path->rx[i] = &device->rx[i];
	}
	for (uint16_t i = 0; i < port->tx_queues; i++) {
		device->tx[i] = (struct ethdev_queue){id, i, index};
		path->tx[i] = &device->tx[i];
	}
}

/* ---- Opening and closing ---- */

static int link_has_changed(uint16_t port, enum rte_eth_event_type event, void *argument,
							void *result)
{
	(void)port, (void)event, (void)argument, (void)result;
	links_changed();
	return 0;
}

/* EAL panics if a descriptor is closed while its interrupt is still registered. Some drivers
 * register it when they are configured and remove it only in a stop, and only a started device can
 * be stopped. */
static void let_go_of_interrupts(struct port *port)
{
	bool never_ran = !port->started && ethdev_device_of(port)->has_queues;
	if (ethdev_device_of(port)->policy.lingers && never_ran)
		port->started = !rte_eth_dev_start(ethdev_id(port));
}

/* The device is unplugged too, so that its name can be used again. */
static void close_device(struct port *port)
{
	uint16_t id = ethdev_id(port);
	struct rte_eth_dev_info info = {0};
	if (rte_eth_dev_info_get(id, &info))
		info.device = NULL;
	rte_eth_dev_callback_unregister(id, RTE_ETH_EVENT_INTR_LSC, link_has_changed, NULL);
	link_unwatch(port->index);
	reset_unwatch(port->index, id);
	removal_unwatch(port->index);
	let_go_of_interrupts(port);
	if (port->started && !port->stopped)
		rte_eth_dev_stop(id);
	rte_eth_dev_close(id);
	probe_undo(port, info.device);
}

static void describe_name(struct port *port)
{
	struct rte_eth_dev_info info = {0};
	if (rte_eth_dev_info_get(ethdev_id(port), &info))
		info.driver_name = NULL;
	port_name_fill(port->config.name, sizeof(port->config.name), info.speed_capa);
	port->hands_over = info.driver_name && !strcmp(info.driver_name, "net_ring");
}

static int open_device(struct port *port)
{
	memset(ethdev_device_of(port), 0, sizeof(struct ethdev_device));
	uint16_t *id = &ethdev_device_of(port)->id;
	int error = probe_device(port, id);
	if (error)
		return error;
	describe_name(port);
	error = nic_set_up(port);
	if (!error && ethdev_device_of(port)->policy.tells_of_links)
		rte_eth_dev_callback_register(*id, RTE_ETH_EVENT_INTR_LSC, link_has_changed, NULL);
	if (error) {
		close_device(port);
		return error;
	}
	if (ethdev_device_of(port)->policy.has_no_mac)
		rte_eth_random_addr(port->mac.addr_bytes);
	else
		rte_eth_macaddr_get(ethdev_id(port), &port->mac);
	lay_paths(port);
	return 0;
}

/* Restore the settings that a start resets. */
static void prepare(struct port *port)
{
	nic_spread(port);
	admission_open(&ethdev_device_of(port)->admission, ethdev_id(port),
				   &ethdev_device_of(port)->policy, port->promiscuous);
}

static int start(struct port *port)
{
	uint16_t id = ethdev_id(port);
	link_watch(port->index, port->config.devargs);
	int error = nic_set_mtu(port, port->config.mtu);
	if (error)
		return error;
	error = rte_eth_dev_start(id);
	if (error)
		return fail(error, "port %s does not start: %s", port->config.name, rte_strerror(-error));
	if (ethdev_device_of(port)->policy.is_pci)
		removal_watch(port->index, id);
	reset_watch(port->index, id);
	prepare(port);
	rte_eth_stats_reset(id);
	pause_frames_open(id);
	return 0;
}

static int counters(const struct port *port, struct ws_port_counters *out);

/* Some drivers restart their counters at 0 after a start, others go on. The counters read right
 * before and right after the start show which (go_on). */
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
		prepare(port);
	port->stopped = !on;
	counters(port, &now);
	return 0;
}

static bool wants_reset(const struct port *port)
{
	return reset_is_wanted(port->index);
}

static int reset(struct port *port)
{
	struct ws_port_counters now;
	counters(port, &now);
	return reset_take(port->index) ? nic_reset(port) : 0;
}

static bool is_removed(const struct port *port)
{
	return removal_is_wanted(port->index);
}

/* ---- Properties ---- */

static bool link_is_up(const struct port *port)
{
	struct rte_eth_link link = {0};
	bool is_up = !port->stopped && !rte_eth_link_get_nowait(ethdev_id(port), &link) &&
				 link.link_status && link_is_up_in_linux(port->index);
	bool *was_up = &ethdev_device_of(port)->link_was_up;
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
	/* A removed device has no link speed. */
	if (rte_eth_dev_info_get(id, &info) || rte_eth_link_get_nowait(id, &link))
		link.link_speed = RTE_ETH_SPEED_NUM_UNKNOWN;
	if (!ethdev_device_of(port)->policy.has_no_mac)
		rte_eth_macaddr_get(id, &mac);
	/* Other drivers report 1500, whatever length they carry. */
	if (ethdev_device_of(port)->policy.is_pci)
		rte_eth_dev_get_mtu(id, &out->mtu);
	snprintf(out->driver, sizeof(out->driver), "%s", info.driver_name);
	if (info.device)
		snprintf(out->bus_address, sizeof(out->bus_address), "%s", rte_dev_name(info.device));
	memcpy(out->mac, &mac, sizeof(out->mac));
	out->is_virtual = !ethdev_device_of(port)->policy.is_pci;
	out->promiscuous = rte_eth_promiscuous_get(id) == 1;
	if (!out->speed_bps && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		out->speed_bps = link.link_speed * 1000000ULL;
	out->most_speed_bps = nic_most_speed_bps(info.speed_capa);
	out->numa = rte_eth_dev_socket_id(id);
	/* Linux reports -1 on machines with a single node. */
	if (out->numa < 0 && ethdev_device_of(port)->policy.is_pci)
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

/* Some drivers restart their counters at 0 when their peer comes back (net_memif); the port's
 * counters go on. */
static void go_on(struct ethdev_device *device, const struct ws_port_counters *now,
				  struct ws_port_counters *out)
{
	enum { COUNTERS = sizeof(*now) / sizeof(uint64_t) };
	uint64_t said[COUNTERS], last[COUNTERS], before[COUNTERS], total[COUNTERS];
	memcpy(said, now, sizeof(said));
	memcpy(last, &device->last, sizeof(last));
	memcpy(before, &device->before, sizeof(before));
	for (int i = 0; i < COUNTERS; i++) {
		before[i] += said[i] < last[i] ? last[i] : 0;
		total[i] = before[i] + said[i];
	}
	device->last = *now;
	memcpy(&device->before, before, sizeof(before));
	memcpy(out, total, sizeof(total));
}

static int counters(const struct port *port, struct ws_port_counters *out)
{
	struct rte_eth_stats stats;
	int error = rte_eth_stats_get(ethdev_id(port), &stats);
	if (error)
		return fail(error, "port %s: its counters cannot be read: %s", port->config.name,
					rte_strerror(-error));
	uint64_t fcs = ethdev_device_of(port)->policy.fcs_bytes;
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
	go_on(ethdev_device_of(port), &now, out);
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
	if (ethdev_device_of(port)->policy.has_no_mac)
		return 0;
	return rte_eth_dev_default_mac_addr_set(ethdev_id(port), &copy);
}

static int set_mtu(struct port *port, uint16_t mtu)
{
	return nic_set_mtu(port, mtu);
}

static int set_promiscuous(struct port *port, bool on)
{
	return admission_set_promiscuous(&ethdev_device_of(port)->admission, ethdev_id(port),
									 &ethdev_device_of(port)->policy, on);
}

static void set_groups(struct port *port, const struct rte_ether_addr *groups, uint32_t count)
{
	struct ethdev_device *device = ethdev_device_of(port);
	admission_set_groups(&device->admission, groups, count);
	if (port->started && !port->stopped)
		admission_let_groups_in(&device->admission, device->id, &device->policy);
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

/* Not for drivers whose descriptor stays readable while there are packets. */
static void arm(struct port *port, uint16_t queue, bool on)
{
	if (on)
		rte_eth_dev_rx_intr_enable(ethdev_id(port), queue);
	else
		rte_eth_dev_rx_intr_disable(ethdev_id(port), queue);
}

/* DPDK's memif driver copies packets, so deep rings hold fewer buffers than they have slots. */
static uint32_t ring_buffers(const char *devargs)
{
	return memif_is_driver_of(devargs) ? 1024 : UINT32_MAX;
}

static const struct port_kind ethdev_kind = {
	.prefix = "",
	.driver = "",
	.ring_buffers = ring_buffers,
	.open = open_device,
	.start = start,
	.set_running = set_running,
	.is_removed = is_removed,
	.wants_reset = wants_reset,
	.reset = reset,
	.close = close_device,
	.link_is_up = link_is_up,
	.counters = counters,
	.describe = describe,
	.device = ethdev_offers,
	.xstats = ethdev_xstats,
	.pause_frames = pause_frames,
	.set_mac = set_mac,
	.set_mtu = set_mtu,
	.set_promiscuous = set_promiscuous,
	.set_groups = set_groups,
	.set_link = set_link,
	.set_led = ethdev_set_led,
	.flow_control = ethdev_flow_control,
	.set_flow_control = ethdev_set_flow_control,
	.listen = listen_to,
	.arm = arm,
};
PORT_KIND(ethdev_kind)
