/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, describing and closing ports. */
#include "dev/port.h"

#include "dev/error.h"
#include "dev/link.h"
#include "dev/memif_memory.h"
#include "dev/pool.h"
#include "dev/port_name.h"
#include "dev/ring_port.h"
#include "dev/tap.h"
#include "dev/worker.h"
#include "wirespeed.h"

#include <errno.h>
#include <rte_bus.h>
#include <rte_dev.h>
#include <stdio.h>
#include <string.h>

struct port {
	struct ws_port_config config;
	uint16_t rx_queues, tx_queues, rx_descriptors, tx_descriptors;
	bool open, started, link_was_up;
	/* What the driver last said, and what it had counted before it began anew. */
	struct ws_port_counters last, before;
};

static struct port ports[WS_MAX_PORTS];
bool ports_keep_sender[RTE_MAX_ETHPORTS];

uint16_t ports_count(void)
{
	uint16_t count = WS_MAX_PORTS;
	while (count && !ports[count - 1].open)
		count--;
	return count;
}

bool port_is_open(uint16_t port)
{
	return port < WS_MAX_PORTS && ports[port].open;
}

bool port_link_is_up(uint16_t port)
{
	struct rte_eth_link link = {0};
	bool is_up = !rte_eth_link_get_nowait(port, &link) && link.link_status &&
				 (!tap_is_open(port) || tap_is_alive(port)) && link_is_up_in_linux(port);
	if (is_up && !ports[port].link_was_up && memif_is_driver_of(ports[port].config.devargs))
		memif_populate_rings();
	ports[port].link_was_up = is_up;
	return is_up;
}

const char *port_name(uint16_t port)
{
	return ports[port].config.name;
}

uint16_t port_rx_queues(uint16_t port)
{
	return ports[port].rx_queues;
}

uint16_t port_tx_queues(uint16_t port)
{
	return ports[port].tx_queues;
}

struct port_tx port_tx_of(uint16_t port, uint16_t worker)
{
	static struct {
		rte_spinlock_t lock;
	} __attribute__((aligned(RTE_CACHE_LINE_SIZE))) locks[WS_MAX_PORTS][WS_MAX_QUEUES];
	uint16_t queues = RTE_MAX(ports[port].tx_queues, 1), queue = worker % queues;
	bool is_shared = queue + queues < workers_count() || worker >= queues;
	return (struct port_tx){queue, is_shared ? &locks[port][queue].lock : NULL};
}

int port_check(uint16_t port)
{
	return port_is_open(port) ? 0 : fail(-ENODEV, "there is no port %u", port);
}

/* Which ports of the same description there are besides, for rings. */
struct ring_end {
	uint16_t before, all;
};

static struct ring_end ring_end(const struct ws_port_config *configs, uint16_t count,
								uint16_t index)
{
	struct ring_end end = {0};
	for (uint16_t i = 0; i < count; i++)
		if (!strcmp(configs[i].devargs, configs[index].devargs)) {
			end.all++;
			end.before += i < index;
		}
	return end;
}

static int probe_ring(const char *devargs, const struct ring_end *end, uint16_t index)
{
	if (end->all > 2)
		return fail(-EINVAL, "%s names %u ports; a ring has two ends", devargs, end->all);
	ports_keep_sender[index] = true;
	return ring_port_open(devargs + strlen("ring:"), index, end->all == 1, end->before == 1);
}

static int probe(const struct ws_port_config *config, const struct ring_end *end, uint16_t index)
{
	uint16_t id;
	char name[WS_DEVARGS_LEN];
	if (!strncmp(config->devargs, "ring:", strlen("ring:")))
		return probe_ring(config->devargs, end, index);
	if (!strncmp(config->devargs, "tap:", strlen("tap:")))
		return tap_open(config, index);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(config->devargs, ","), config->devargs);
	int error = rte_dev_probe(config->devargs);
	if (error)
		return fail(error, "port %s: DPDK cannot open %s: %s", config->name, config->devargs,
					rte_strerror(-error));
	if (rte_eth_dev_get_port_by_name(name, &id))
		return fail(-ENODEV, "port %s: %s is no network device", config->name, name);
	if (id != index)
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

static int configure(struct port *port, uint16_t id)
{
	const struct ws_port_config *config = &port->config;
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf = {0};
	int error = rte_eth_dev_info_get(id, &info);
	if (error)
		return fail(error, "port %s does not describe itself: %s", config->name,
					rte_strerror(-error));
	port_name_fill(port->config.name, sizeof(port->config.name), info.speed_capa);
	port->rx_queues = RTE_MAX(1, RTE_MIN(config->rx_queues, info.max_rx_queues));
	port->tx_queues = RTE_MAX(1, RTE_MIN(config->tx_queues, info.max_tx_queues));
	if (port->rx_queues > 1 && info.flow_type_rss_offloads) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf =
			info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
	}
	conf.intr_conf.lsc = (*info.dev_flags & RTE_ETH_DEV_INTR_LSC) != 0;
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
	port->rx_descriptors = config->rx_descriptors;
	port->tx_descriptors = config->tx_descriptors;
	error = rte_eth_dev_adjust_nb_rx_tx_desc(id, &port->rx_descriptors, &port->tx_descriptors);
	for (uint16_t q = 0; !error && q < port->rx_queues; q++)
		error = rte_eth_rx_queue_setup(id, q, port->rx_descriptors, rte_socket_id(), NULL,
									   ports_pool());
	for (uint16_t q = 0; !error && q < port->tx_queues; q++)
		error = rte_eth_tx_queue_setup(id, q, port->tx_descriptors, rte_socket_id(), NULL);
	if (error)
		return fail(error, "port %s takes no queues of %u RX and %u TX descriptors: %s",
					config->name, port->rx_descriptors, port->tx_descriptors, rte_strerror(-error));
	return 0;
}

/* Virtual drivers differ in what they can set; only a MAC that was asked for and refused is an
 * error. */
static int start(struct port *port, uint16_t id)
{
	const struct ws_port_config *config = &port->config;
	struct rte_ether_addr now, wanted;
	if (config->has_mac) {
		memcpy(&wanted, config->mac, sizeof(wanted));
		rte_eth_macaddr_get(id, &now);
		int error = rte_is_same_ether_addr(&now, &wanted)
						? 0
						: rte_eth_dev_default_mac_addr_set(id, &wanted);
		if (error)
			return fail(error, "port %s keeps its MAC address: %s", config->name,
						rte_strerror(-error));
	}
	rte_eth_dev_set_mtu(id, config->mtu);
	int error = rte_eth_dev_start(id);
	if (error)
		return fail(error, "port %s does not start: %s", config->name, rte_strerror(-error));
	port->started = true;
	link_watch(id, config->devargs);
	if (config->promiscuous)
		rte_eth_promiscuous_enable(id);
	rte_eth_stats_reset(id);
	return 0;
}

static int open_port(const struct ws_port_config *config, const struct ring_end *end,
					 uint16_t index)
{
	int error = probe(config, end, index);
	if (error)
		return error;
	ports[index] = (struct port){.config = *config, .open = true};
	return configure(&ports[index], index);
}

/* Unplugged as well, so that another one may bear its device's name. */
static void close_port(uint16_t id)
{
	struct rte_eth_dev_info info = {0};
	rte_eth_dev_info_get(id, &info);
	rte_eth_dev_callback_unregister(id, RTE_ETH_EVENT_INTR_LSC, link_has_changed, NULL);
	link_unwatch(id);
	if (ports[id].started)
		rte_eth_dev_stop(id);
	rte_eth_dev_close(id);
	tap_close(id);
	if (info.device)
		rte_dev_remove(info.device);
	ports_keep_sender[id] = false;
	ports[id] = (struct port){0};
}

int ws_ports_open(const struct ws_port_config *configs, uint16_t count)
{
	if (ports_count())
		return fail(-EALREADY, "the ports are open already");
	if (count < 1 || count > WS_MAX_PORTS)
		return fail(-EINVAL, "%u ports asked; 1 to %d are possible", count, WS_MAX_PORTS);
	int error = pool_make(configs, count);
	for (uint16_t i = 0; !error && i < count; i++) {
		const struct ring_end end = ring_end(configs, count, i);
		error = open_port(&configs[i], &end, i);
	}
	for (uint16_t i = 0; !error && i < count; i++)
		error = start(&ports[i], i);
	if (error)
		ws_ports_close();
	return error;
}

void ws_ports_close(void)
{
	for (int i = 0; i < WS_MAX_PORTS; i++)
		if (ports[i].open)
			close_port(i);
	pool_free();
}

/* DPDK gives a new port the lowest id that is free, and all ports are ours. */
static int free_id(void)
{
	for (int i = 0; i < WS_MAX_PORTS; i++)
		if (!ports[i].open)
			return i;
	return fail(-ENOSPC, "there are %d ports, which is the most", WS_MAX_PORTS);
}

int ws_port_add(const struct ws_port_config *config)
{
	if (!ports_pool())
		return fail(-EINVAL, "ports are added once the first ones are open");
	int id = free_id();
	if (id < 0)
		return id;
	for (int i = 0; i < WS_MAX_PORTS; i++)
		if (ports[i].open && !strcmp(ports[i].config.devargs, config->devargs))
			return fail(-EEXIST, "%s is port %s already", config->devargs, port_name(i));
	uint16_t index = (uint16_t)id;
	const struct ring_end end = {.all = 1};
	int error = open_port(config, &end, index);
	if (!error)
		error = start(&ports[index], index);
	if (error && ports[index].open)
		close_port(index);
	return error ? error : id;
}

int ws_port_delete(uint16_t port)
{
	if (port_check(port))
		return -ENODEV;
	close_port(port);
	return 0;
}

int ws_port_info(uint16_t port, struct ws_port_info *out)
{
	struct rte_eth_dev_info info;
	struct rte_eth_link link = {0};
	struct rte_ether_addr mac;
	if (port_check(port))
		return -ENODEV;
	const struct port *p = &ports[port];
	memset(out, 0, sizeof(*out));
	rte_eth_dev_info_get(port, &info);
	rte_eth_link_get_nowait(port, &link);
	rte_eth_macaddr_get(port, &mac);
	rte_eth_dev_get_mtu(port, &out->mtu);
	snprintf(out->name, sizeof(out->name), "%s", p->config.name);
	snprintf(out->driver, sizeof(out->driver), "%s", tap_is_open(port) ? "tap" : info.driver_name);
	snprintf(out->bus_address, sizeof(out->bus_address), "%s",
			 info.device ? rte_dev_name(info.device) : p->config.devargs);
	memcpy(out->mac, &mac, sizeof(out->mac));
	out->link_up = port_link_is_up(port);
	out->started = p->started;
	out->is_virtual = !info.device || !rte_dev_bus(info.device) ||
					  strcmp(rte_bus_name(rte_dev_bus(info.device)), "pci");
	out->promiscuous = rte_eth_promiscuous_get(port) == 1;
	out->speed_bps = p->config.speed_bps;
	if (!out->speed_bps && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		out->speed_bps = link.link_speed * 1000000ULL;
	out->numa = rte_eth_dev_socket_id(port);
	out->max_mtu = info.max_mtu;
	out->rx_queues = p->rx_queues;
	out->tx_queues = p->tx_queues;
	out->max_rx_queues = info.max_rx_queues;
	out->max_tx_queues = info.max_tx_queues;
	out->rx_descriptors = p->rx_descriptors;
	out->tx_descriptors = p->tx_descriptors;
	out->min_rx_descriptors = info.rx_desc_lim.nb_min;
	out->max_rx_descriptors = info.rx_desc_lim.nb_max;
	out->min_tx_descriptors = info.tx_desc_lim.nb_min;
	out->max_tx_descriptors = info.tx_desc_lim.nb_max;
	return 0;
}

/* Some drivers count from 0 again when their peer comes back (memif); ours count on. */
static void go_on(struct port *port, const struct ws_port_counters *now,
				  struct ws_port_counters *out)
{
	enum { COUNTERS = sizeof(*now) / sizeof(uint64_t) };
	uint64_t said[COUNTERS], last[COUNTERS], before[COUNTERS], total[COUNTERS];
	memcpy(said, now, sizeof(said));
	memcpy(last, &port->last, sizeof(last));
	memcpy(before, &port->before, sizeof(before));
	for (int i = 0; i < COUNTERS; i++) {
		before[i] += said[i] < last[i] ? last[i] : 0;
		total[i] = before[i] + said[i];
	}
	port->last = *now;
	memcpy(&port->before, before, sizeof(before));
	memcpy(out, total, sizeof(total));
}

int ws_port_counters(uint16_t port, struct ws_port_counters *out)
{
	struct rte_eth_stats stats;
	if (port_check(port))
		return -ENODEV;
	if (tap_is_open(port)) {
		tap_counters(port, out);
		return 0;
	}
	int error = rte_eth_stats_get(port, &stats);
	if (error)
		return fail(error, "port %s gives no counters: %s", ports[port].config.name,
					rte_strerror(-error));
	const struct ws_port_counters now = {
		.rx_packets = stats.ipackets,
		.tx_packets = stats.opackets,
		.rx_bytes = stats.ibytes,
		.tx_bytes = stats.obytes,
		.rx_missed = stats.imissed,
		.rx_errors = stats.ierrors,
		.tx_errors = stats.oerrors,
		.rx_no_buffer = stats.rx_nombuf,
	};
	go_on(&ports[port], &now, out);
	return 0;
}
