/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memif ports: shared memory to another process, "memif:PATH[,role=client|server][,id=N]
 * [,secret=TEXT][,zero-copy=yes|no]". A path that begins with '@' is that of an abstract socket.
 *
 * A client provides the memory and connects whenever there is a server; a server listens. Either
 * may end and come back: in between the link is down, and no state of the other side is kept.
 */
#include "dev/error.h"
#include "dev/memif/control.h"
#include "dev/memif/spread.h"
#include "dev/pool.h"
#include "dev/port_kind.h"
#include "wire/own_count.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <limits.h>
#include <rte_interrupts.h>
#include <rte_kvargs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static struct memif_port memifs[WS_MAX_PORTS];
static struct rte_epoll_event events[WS_MAX_PORTS][WS_MAX_QUEUES];

static struct memif_port *memif_of(const struct port *port)
{
	return &memifs[port->index];
}

/* ---- Device string ---- */

static int copy_role(const char *key, const char *value, void *out)
{
	struct memif_port *memif = out;
	(void)key;
	memif->role = strcmp(value, "server") ? MEMIF_CLIENT : MEMIF_SERVER;
	return strcmp(value, "server") && strcmp(value, "client") ? -1 : 0;
}

static int copy_id(const char *key, const char *value, void *out)
{
	struct memif_port *memif = out;
	char *end;
	(void)key;
	errno = 0;
	unsigned long id = strtoul(value, &end, 10);
	memif->id = (uint32_t)id;
	return errno || *end || end == value || id > UINT32_MAX ? -1 : 0;
}

static int copy_secret(const char *key, const char *value, void *out)
{
	struct memif_port *memif = out;
	(void)key;
	return snprintf(memif->secret, sizeof(memif->secret), "%s", value) <= MEMIF_SECRET_LEN ? 0 : -1;
}

static int copy_zero_copy(const char *key, const char *value, void *out)
{
	struct memif_port *memif = out;
	(void)key;
	memif->lends = !strcmp(value, "yes");
	return strcmp(value, "yes") && strcmp(value, "no") ? -1 : 0;
}

static int parse(const struct port *port, struct memif_port *memif)
{
	static const char *const keys[] = {"role", "id", "secret", "zero-copy", NULL};
	const char *path = port_target(port), *devargs = port->config.devargs;
	size_t length = strcspn(path, ",");
	memset(memif, 0, sizeof(*memif));
	memif->role = MEMIF_CLIENT;
	if (!length || length >= sizeof(memif->path))
		return fail(-EINVAL, "%s: a socket path has 1 to %zu bytes", devargs,
					sizeof(memif->path) - 1);
	memcpy(memif->path, path, length);
	snprintf(memif->name, sizeof(memif->name), "%.*s", MEMIF_NAME_LEN - 1, port->config.name);
	struct rte_kvargs *words = rte_kvargs_parse(path[length] ? path + length + 1 : "", keys);
	int error = !words || rte_kvargs_process(words, "role", copy_role, memif) ||
				rte_kvargs_process(words, "id", copy_id, memif) ||
				rte_kvargs_process(words, "secret", copy_secret, memif) ||
				rte_kvargs_process(words, "zero-copy", copy_zero_copy, memif);
	rte_kvargs_free(words);
	/* Only the client provides memory. */
	memif->lends = memif->lends && memif->role == MEMIF_CLIENT;
	return error ? fail(-EINVAL,
						"%s: a memif takes role=client or server, id= (a number), secret= (at most "
						"%d bytes) and zero-copy=yes or no",
						devargs, MEMIF_SECRET_LEN)
				 : 0;
}

/* ---- Opening and closing ---- */

/* Functions by march level; DPDK itself needs at least the second. */
#ifdef HAS_LEVELS
static const struct memif_receive *const receives[] = {&memif_receive_v2, &memif_receive_v2,
													   &memif_receive_v3, &memif_receive_v4};
static const struct memif_transmit *const transmits[] = {&memif_transmit_v2, &memif_transmit_v2,
														 &memif_transmit_v3, &memif_transmit_v4};
#else
static const struct memif_receive *const receives[] = {&memif_receive_v1};
static const struct memif_transmit *const transmits[] = {&memif_transmit_v1};
#endif

void memif_choose(enum memif_role role, struct port_path *path)
{
	path->receive = receives[ws_march() - 1]->as[role];
	path->transmit = transmits[ws_march() - 1]->as[role];
}

static void lay_paths(const struct port *port, struct memif_port *memif)
{
	struct port_path *path = &port_paths[port->index];
	memif_choose(memif->role, path);
	memif->transmit = path->transmit;
	for (uint16_t i = 0; i < memif->rx_count; i++)
		path->rx[i] = &memif->rx[i];
	for (uint16_t i = 0; i < memif->tx_count; i++)
		path->tx[i] = &memif->tx[i];
}

static void close_queues(struct memif_port *memif)
{
	for (uint16_t i = 0; i < memif->rx_count; i++)
		if (memif->rx[i].epoll >= 0)
			close(memif->rx[i].epoll);
}

static int open_queues(const struct port *port, struct memif_port *memif)
{
	int error = 0;
	for (uint16_t i = 0; i < memif->rx_count; i++) {
		memif->rx[i] = (struct memif_queue){.port = port->index,
											.pool = ports_pool(),
											.fd = -1,
											.epoll = epoll_create1(EPOLL_CLOEXEC)};
		if (memif->rx[i].epoll < 0)
			error = -errno;
	}
	for (uint16_t i = 0; i < memif->tx_count; i++)
		memif->tx[i] = (struct memif_queue){.port = port->index, .fd = -1, .epoll = -1};
	if (error)
		close_queues(memif);
	return error ? fail(error, "port %s has nothing to wait with: %s", port->config.name,
						strerror(-error))
				 : 0;
}

static int open_lent(const struct port *port, struct memif_port *memif)
{
	uint32_t slots = (uint32_t)memif->rx_count << memif->log2_slots;
	int error = memif_lent_open(&memif->lent, port->index, slots);
	if (error)
		return fail(error, "port %s: no memory to share: %s", port->config.name, strerror(-error));
	for (uint16_t i = 0; i < memif->rx_count; i++)
		memif->rx[i].lent = &memif->lent;
	for (uint16_t i = 0; i < memif->tx_count; i++)
		memif->tx[i].lent = &memif->lent;
	return 0;
}

static int open_memif(struct port *port)
{
	const struct ws_port_config *config = &port->config;
	struct memif_port *memif = memif_of(port);
	uint16_t slots = RTE_MAX(config->rx_descriptors, config->tx_descriptors);
	int error = parse(port, memif);
	if (error)
		return error;
	while (memif->log2_slots < MEMIF_MAX_LOG2_SLOTS && 1u << memif->log2_slots < slots)
		memif->log2_slots++;
	memif->rx_count = RTE_MAX(1, RTE_MIN(config->rx_queues, (uint16_t)WS_MAX_QUEUES));
	memif->tx_count = RTE_MAX(1, RTE_MIN(config->tx_queues, (uint16_t)WS_MAX_QUEUES));
	port->rx_queues = memif->rx_count;
	port->tx_queues = memif->tx_count;
	port->rx_descriptors = port->tx_descriptors = (uint16_t)(1u << memif->log2_slots);
	rte_eth_random_addr(port->mac.addr_bytes);
	error = open_queues(port, memif);
	if (error)
		return error;
	lay_paths(port, memif);
	error = memif->lends ? open_lent(port, memif) : 0;
	if (error)
		close_queues(memif);
	return error;
}

static int start(struct port *port)
{
	return memif_control_add(memif_of(port));
}

static void close_memif(struct port *port)
{
	if (port->started)
		memif_control_remove(memif_of(port));
	close_queues(memif_of(port));
	memif_lent_close(&memif_of(port)->lent);
}

static void spread(struct port *port)
{
	struct port_path *path = &port_paths[port->index];
	path->transmit = memif_transmit_spread;
	path->tx[0] = memif_of(port);
}

static void *lend(struct port *port, uint64_t bytes)
{
	return memif_lent_take(&memif_of(port)->lent, bytes);
}

static void end_loan(struct port *port, const void *memory)
{
	memif_lent_give_back(&memif_of(port)->lent, memory);
}

/* ---- Properties ---- */

static bool link_is_up(const struct port *port)
{
	return __atomic_load_n(&memif_of(port)->is_connected, __ATOMIC_ACQUIRE);
}

static int counters(const struct port *port, struct ws_port_counters *out)
{
	const struct memif_port *memif = memif_of(port);
	*out = (struct ws_port_counters){0};
	for (uint16_t i = 0; i < memif->rx_count; i++) {
		struct own_pair counts = own_pair_read(&memif->rx[i].counts);
		out->rx_packets += counts.packets;
		out->rx_bytes += counts.bytes;
		out->rx_errors += own_count_read(&memif->rx[i].errors);
		out->rx_no_buffer += own_count_read(&memif->rx[i].no_buffer);
	}
	for (uint16_t i = 0; i < memif->tx_count; i++) {
		struct own_pair counts = own_pair_read(&memif->tx[i].counts);
		out->tx_packets += counts.packets;
		out->tx_bytes += counts.bytes;
	}
	return 0;
}

static struct own_pair queue_counts(const struct port *port, bool rx, uint16_t queue)
{
	const struct memif_port *memif = memif_of(port);
	return own_pair_read(rx ? &memif->rx[queue].counts : &memif->tx[queue].counts);
}

static void describe(const struct port *port, struct ws_port_info *info)
{
	enum { OVERHEAD = 22 }; /* Ethernet header and two VLAN tags */
	(void)port;
	info->max_mtu = MEMIF_LONGEST - OVERHEAD;
	info->longest_rx = MEMIF_LONGEST;
	info->min_rx_descriptors = info->min_tx_descriptors = 1;
	info->max_rx_descriptors = info->max_tx_descriptors = 1u << MEMIF_MAX_LOG2_SLOTS;
}

/* ---- Sleeping ---- */

static int listen_to(struct port *port, uint16_t queue, int epoll, uint16_t worker, bool on)
{
	struct rte_epoll_event *event = &events[port->index][queue];
	(void)worker;
	if (!on)
		return rte_epoll_ctl(epoll, EPOLL_CTL_DEL, memif_of(port)->rx[queue].epoll, event);
	*event = (struct rte_epoll_event){.epdata.event = EPOLLIN};
	return rte_epoll_ctl(epoll, EPOLL_CTL_ADD, memif_of(port)->rx[queue].epoll, event);
}

static void arm(struct port *port, uint16_t index, bool on)
{
	struct memif_port *memif = memif_of(port);
	struct memif_queue *queue = &memif->rx[index];
	struct epoll_event told;
	rte_spinlock_lock(&queue->lock);
	queue->is_armed = on;
	if (queue->has_ring) {
		__atomic_store_n(&queue->ring->flags, on ? 0 : MEMIF_RING_MASKED, __ATOMIC_RELAXED);
		if (memif->role == MEMIF_SERVER)
			memif_offer_back(queue);
	}
	rte_spinlock_unlock(&queue->lock);
	/* Orders the store of the flag before the look for packets: as in memif_interrupt. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* Consume the event, but do not read its descriptor: the peer could make the read block. */
	if (!on)
		(void)!epoll_wait(queue->epoll, &told, 1, 0);
}

static bool has_packets(const struct port *port, uint16_t index)
{
	struct memif_port *memif = memif_of(port);
	struct memif_queue *queue = &memif->rx[index];
	bool found = false;
	rte_spinlock_lock(&queue->lock);
	if (queue->has_ring)
		found = queue->at != __atomic_load_n(memif->role == MEMIF_SERVER ? &queue->ring->head
																		 : &queue->ring->tail,
											 __ATOMIC_ACQUIRE);
	rte_spinlock_unlock(&queue->lock);
	return found;
}

static uint32_t shared_slots(const struct port *port, uint16_t index)
{
	struct memif_queue *queue = &memif_of(port)->rx[index];
	rte_spinlock_lock(&queue->lock);
	uint32_t slots = queue->has_ring ? queue->slots : 0;
	rte_spinlock_unlock(&queue->lock);
	return slots;
}

/* Packets are copied, so a deep ring holds fewer buffers than it has slots. */
static uint32_t ring_buffers(const char *devargs)
{
	(void)devargs;
	return 1024;
}

static const struct port_kind memif_kind = {
	.prefix = "memif:",
	.driver = "memif",
	.ring_buffers = ring_buffers,
	.open = open_memif,
	.start = start,
	.close = close_memif,
	.link_is_up = link_is_up,
	.counters = counters,
	.queue_counts = queue_counts,
	.spread = spread,
	.lend = lend,
	.end_loan = end_loan,
	.describe = describe,
	.listen = listen_to,
	.arm = arm,
	.has_packets = has_packets,
	.shared_slots = shared_slots,
};
PORT_KIND(memif_kind)
