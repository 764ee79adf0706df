/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, describing and closing ports. */
#include "dev/port.h"

#include "dev/error.h"
#include "dev/medium.h"
#include "dev/pool.h"
#include "dev/port_kind.h"
#include "dev/port_table.h"
#include "dev/worker.h"
#include "wire/ethernet.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <rte_branch_prediction.h>
#include <stdio.h>
#include <string.h>

uint16_t ports_count(void)
{
	uint16_t count = WS_MAX_PORTS;
	while (count && !port_table[count - 1].open)
		count--;
	return count;
}

bool port_link_is_up(uint16_t port)
{
	return port_is_open(port) && port_table[port].kind->link_is_up(&port_table[port]);
}

uint16_t port_rx_queues(uint16_t port)
{
	return port_table[port].rx_queues;
}

uint16_t port_tx_queues(uint16_t port)
{
	return port_table[port].tx_queues;
}

bool port_hands_over(uint16_t port)
{
	return port_table[port].hands_over;
}

void port_spread(uint16_t port)
{
	struct port *p = &port_table[port];
	if (p->tx_queues > 1 && p->kind->spread)
		p->kind->spread(p);
}

void *port_lend(uint16_t port, uint64_t bytes)
{
	struct port *p = &port_table[port];
	return p->kind->lend ? p->kind->lend(p, bytes) : NULL;
}

void port_end_loan(uint16_t port, const void *memory)
{
	struct port *p = &port_table[port];
	if (p->open && p->kind->end_loan)
		p->kind->end_loan(p, memory);
}

struct port_tx port_tx_of(uint16_t port, uint16_t worker)
{
	static struct {
		rte_spinlock_t lock;
	} __attribute__((aligned(RTE_CACHE_LINE_SIZE))) locks[WS_MAX_PORTS][WS_MAX_QUEUES];
	uint16_t queues = RTE_MAX(port_table[port].tx_queues, 1), queue = worker % queues;
	bool is_shared = queue + queues < workers_count() || worker >= queues;
	return (struct port_tx){queue, is_shared ? &locks[port][queue].lock : NULL};
}

/* ---- Sleeping ---- */

bool port_rings_bell(uint16_t port)
{
	return port_table[port].kind->rings_bell;
}

int port_listen(uint16_t port, uint16_t queue, int epoll, uint16_t worker)
{
	struct port *p = &port_table[port];
	if (port_is_shut(port))
		return 0;
	return p->kind->listen ? p->kind->listen(p, queue, epoll, worker, true) : -ENOTSUP;
}

void port_ignore(uint16_t port, uint16_t queue, int epoll, uint16_t worker)
{
	struct port *p = &port_table[port];
	if (p->open && p->kind->listen)
		p->kind->listen(p, queue, epoll, worker, false);
}

void port_arm(uint16_t port, uint16_t queue, bool on)
{
	struct port *p = &port_table[port];
	if (p->kind->arm && !port_is_shut(port))
		p->kind->arm(p, queue, on);
}

uint32_t port_shared_slots(uint16_t port, uint16_t queue)
{
	const struct port *p = &port_table[port];
	return p->kind->shared_slots ? p->kind->shared_slots(p, queue) : 0;
}

bool port_has_packets(uint16_t port, uint16_t queue)
{
	const struct port *p = &port_table[port];
	return p->kind->has_packets && p->kind->has_packets(p, queue);
}

/* ---- Work on a device ---- */

static struct port_path shut_paths[WS_MAX_PORTS];

static uint16_t move_nothing(void *queue, struct rte_mbuf **packets, uint16_t n)
{
	(void)queue, (void)packets, (void)n;
	return 0;
}

bool port_stops(uint16_t port)
{
	return port_table[port].stops && port_table[port].kind->set_running;
}

bool port_is_shut(uint16_t port)
{
	return port_paths[port].receive == move_nothing;
}

void port_shut(uint16_t port)
{
	if (port_is_shut(port))
		return;
	shut_paths[port] = port_paths[port];
	__atomic_store_n(&port_paths[port].receive, move_nothing, __ATOMIC_RELEASE);
	__atomic_store_n(&port_paths[port].transmit, move_nothing, __ATOMIC_RELEASE);
}

void port_unshut(uint16_t port)
{
	if (!port_is_shut(port) || !port_table[port].kind->set_running)
		return;
	__atomic_store_n(&port_paths[port].receive, shut_paths[port].receive, __ATOMIC_RELEASE);
	__atomic_store_n(&port_paths[port].transmit, shut_paths[port].transmit, __ATOMIC_RELEASE);
}

int port_set_running(uint16_t port, bool on)
{
	struct port *p = &port_table[port];
	return p->stopped == !on ? 0 : p->kind->set_running(p, on);
}

bool port_wants_reset(uint16_t port)
{
	const struct port *p = &port_table[port];
	return p->open && p->kind->wants_reset && p->kind->wants_reset(p);
}

int port_reset(uint16_t port)
{
	return port_table[port].kind->reset(&port_table[port]);
}

bool port_is_leaving(uint16_t port)
{
	const struct port *p = &port_table[port];
	return p->open && p->kind->is_removed && p->kind->is_removed(p);
}

void port_let_go(uint16_t port)
{
	struct port *p = &port_table[port];
	removed_note_counters(p);
	p->kind->close(p);
	p->kind = &removed_kind;
}

/* ---- Delayed reception ---- */

static port_burst *waiting_bursts[WS_MAX_PORTS];

static uint16_t receive_nothing_yet(void *queue, struct rte_mbuf **packets, uint16_t n)
{
	return move_nothing(queue, packets, n);
}

static void hold_reception(uint16_t port)
{
	waiting_bursts[port] = port_paths[port].receive;
	port_paths[port].receive = receive_nothing_yet;
}

int ws_port_start_rx(uint16_t port)
{
	if (port_check(port))
		return -ENODEV;
	struct port_path *path = port_is_shut(port) ? &shut_paths[port] : &port_paths[port];
	if (path->receive != receive_nothing_yet)
		return fail(-EALREADY, "port %s already receives", port_name(port));
	__atomic_store_n(&path->receive, waiting_bursts[port], __ATOMIC_RELEASE);
	return 0;
}

void port_is_up(uint16_t port)
{
	if (port_table[port].config.rx_start != WS_RX_WHEN_UP)
		return;
	port_table[port].config.rx_start = WS_RX_AT_ONCE;
	ws_port_start_rx(port);
}

/* ---- Opening and closing ---- */

static int open_port(const struct ws_port_config *config, uint16_t index)
{
	struct port *port = &port_table[index];
	*port = (struct port){
		.config = *config,
		.kind = port_kind_of(config->devargs),
		.index = index,
		.mtu = config->mtu,
		.promiscuous = config->promiscuous,
	};
	int error = port->kind->open(port);
	if (error) {
		*port = (struct port){0};
		return error;
	}
	port->open = true;
	if (config->rx_start != WS_RX_AT_ONCE)
		hold_reception(index);
	return 0;
}

static int start(struct port *port)
{
	const struct ws_port_config *config = &port->config;
	int error = 0;
	if (config->has_mac && memcmp(&port->mac, config->mac, sizeof(port->mac)))
		error = ws_port_set_mac(port->index, config->mac);
	if (!error && port->kind->start)
		error = port->kind->start(port);
	port->started = !error;
	return error;
}

static void close_port(struct port *port)
{
	port->kind->close(port);
	port_paths[port->index] = (struct port_path){0};
	*port = (struct port){0};
}

int ws_ports_open(const struct ws_port_config *configs, uint16_t count)
{
	if (ports_pool())
		return fail(-EALREADY, "the ports are already open");
	if (count > WS_MAX_PORTS)
		return fail(-EINVAL, "%u ports asked; at most %d are possible", count, WS_MAX_PORTS);
	int error = pool_make(configs, count);
	for (uint16_t i = 0; !error && i < count; i++)
		error = open_port(&configs[i], i);
	for (uint16_t i = 0; !error && i < count; i++)
		error = start(&port_table[i]);
	if (error)
		ws_ports_close();
	return error;
}

void ws_ports_close(void)
{
	for (int i = 0; i < WS_MAX_PORTS; i++)
		if (port_table[i].open)
			close_port(&port_table[i]);
	pool_free();
}

static int free_index(void)
{
	for (int i = 0; i < WS_MAX_PORTS; i++)
		if (!port_table[i].open)
			return i;
	return fail(-ENOSPC, "%d ports exist, the maximum; remove one first", WS_MAX_PORTS);
}

int ws_port_add(const struct ws_port_config *config)
{
	if (!ports_pool())
		return fail(-EINVAL, "ports can be added only after the first ones are open");
	int index = free_index();
	if (index < 0)
		return index;
	for (int i = 0; i < WS_MAX_PORTS; i++)
		if (port_table[i].open && !port_table[i].kind->has_twins &&
			!strcmp(port_table[i].config.devargs, config->devargs) &&
			port_table[i].config.device_port == config->device_port)
			return fail(-EEXIST, "%s is already port %s; name a device once", config->devargs,
						port_name(i));
	int error = open_port(config, (uint16_t)index);
	if (error)
		return error;
	error = start(&port_table[index]);
	if (error)
		close_port(&port_table[index]);
	return error ? error : index;
}

int ws_port_delete(uint16_t port)
{
	if (port_check(port))
		return -ENODEV;
	close_port(&port_table[port]);
	return 0;
}

/* ---- Properties ---- */

int ws_port_info(uint16_t port, struct ws_port_info *out)
{
	if (port_check(port))
		return -ENODEV;
	const struct port *p = &port_table[port];
	*out = (struct ws_port_info){
		.removed = p->kind == &removed_kind,
		.link_up = port_link_is_up(port),
		.started = p->started,
		.is_virtual = true,
		.promiscuous = p->promiscuous,
		.speed_bps = p->config.speed_bps,
		.numa = -1,
		.medium = medium_of(p->config.devargs),
		.mtu = p->mtu,
		.longest_tx = p->mtu + (uint32_t)ETHERNET_MAX_LEN,
		.longest_rx = p->mtu + (uint32_t)ETHERNET_MAX_LEN,
		.rx_queues = p->rx_queues,
		.tx_queues = p->tx_queues,
		.max_rx_queues = WS_MAX_QUEUES,
		.max_tx_queues = WS_MAX_QUEUES,
		.rx_descriptors = p->rx_descriptors,
		.tx_descriptors = p->tx_descriptors,
	};
	snprintf(out->name, sizeof(out->name), "%s", p->config.name);
	snprintf(out->driver, sizeof(out->driver), "%s", p->kind->driver);
	snprintf(out->bus_address, sizeof(out->bus_address), "%s", p->config.devargs);
	memcpy(out->mac, &p->mac, sizeof(out->mac));
	if (p->kind->describe)
		p->kind->describe(p, out);
	return 0;
}

int ws_port_device(uint16_t port, struct ws_port_device *out)
{
	if (port_check(port))
		return -ENODEV;
	const struct port *p = &port_table[port];
	memset(out, 0, sizeof(*out));
	return p->kind->device ? p->kind->device(p, out) : -ENOTSUP;
}

int ws_port_counters(uint16_t port, struct ws_port_counters *out)
{
	if (port_check(port))
		return -ENODEV;
	return port_table[port].kind->counters(&port_table[port], out);
}
