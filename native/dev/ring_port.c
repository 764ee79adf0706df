/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports on rings inside the process. Two ports of the same name are connected to each other, a
 * single one to itself. Each may be opened and closed at any time. The packets themselves are
 * passed on, not copies.
 */
#include "dev/error.h"
#include "dev/numa.h"
#include "dev/port_kind.h"
#include "dev/port_table.h"
#include "dev/rcu.h"
#include "wire/own_count.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_ring.h>
#include <stdio.h>
#include <string.h>

enum { RING_SLOTS = 4096, BURST = 256 };

struct direction {
	struct rte_ring *ring;
	uint16_t port;
	struct own_pair counts;
};

static struct {
	struct direction rx, tx;
	bool is_down;
} __attribute__((aligned(RTE_CACHE_LINE_SIZE))) ends[WS_MAX_PORTS];

static uint16_t receive(void *queue, struct rte_mbuf **packets, uint16_t n)
{
	struct direction *rx = queue;
	uint64_t bytes = 0;
	struct rte_ring *ring = __atomic_load_n(&rx->ring, __ATOMIC_ACQUIRE);
	n = (uint16_t)rte_ring_dequeue_burst(ring, (void **)packets, n, NULL);
	for (uint16_t i = 0; i < n; i++) {
		packets[i]->port = rx->port;
		bytes += packets[i]->pkt_len;
	}
	own_pair_add(&rx->counts, n, bytes);
	return n;
}

static uint16_t transmit(void *queue, struct rte_mbuf **packets, uint16_t n)
{
	struct direction *tx = queue;
	uint32_t lengths[BURST];
	uint64_t bytes = 0;
	n = RTE_MIN(n, (uint16_t)BURST);
	/* A packet in the ring belongs to its receiver. */
	for (uint16_t i = 0; i < n; i++)
		lengths[i] = packets[i]->pkt_len;
	n = (uint16_t)rte_ring_enqueue_burst(tx->ring, (void **)packets, n, NULL);
	for (uint16_t i = 0; i < n; i++)
		bytes += lengths[i];
	own_pair_add(&tx->counts, n, bytes);
	return n;
}

static struct rte_ring *ring(const char *name, const char *direction)
{
	char full[RTE_RING_NAMESIZE];
	snprintf(full, sizeof(full), "ws_%s_%s", name, direction);
	struct rte_ring *found = rte_ring_lookup(full);
	return found ? found : rte_ring_create(full, RING_SLOTS, numa_node(), 0);
}

static void drain(struct rte_ring *ring)
{
	struct rte_mbuf *packet;
	while (!rte_ring_dequeue(ring, (void **)&packet))
		rte_pktmbuf_free(packet);
}

/* The other port on the ring; `count` gets how many there are. */
static uint16_t other_end(const struct port *port, uint16_t *count)
{
	uint16_t found = WS_MAX_PORTS;
	*count = 0;
	for (uint16_t i = 0; i < (uint16_t)WS_MAX_PORTS; i++) {
		const struct port *other = port_at(i);
		if (other == port || !other->open || other->kind != port->kind ||
			strcmp(other->config.devargs, port->config.devargs))
			continue;
		found = i;
		++*count;
	}
	return found;
}

/* A worker may receive from the port during this change. */
static void receive_from(uint16_t port, struct rte_ring *ring)
{
	__atomic_store_n(&ends[port].rx.ring, ring, __ATOMIC_RELEASE);
}

static int open(struct port *port)
{
	const char *name = port_target(port);
	uint16_t index = port->index, others, other = other_end(port, &others);
	if (others > 1)
		return fail(-EINVAL, "%s names a third port; a ring has two ends", port->config.devargs);
	/* Two rings serve two ends, whichever of them the first end sends into. */
	struct rte_ring *mine = ring(name, "out"), *theirs = others ? ends[other].tx.ring : mine;
	if (others && mine == theirs)
		mine = ring(name, "back");
	if (!mine || !theirs)
		return fail(-rte_errno, "ring %s: no memory for %d slots", name, RING_SLOTS);
	ends[index].rx = (struct direction){.ring = theirs, .port = index};
	ends[index].tx = (struct direction){.ring = mine, .port = index};
	ends[index].is_down = false;
	if (others)
		receive_from(other, mine);
	port_paths[index] = (struct port_path){
		.receive = receive,
		.transmit = transmit,
		.rx = {&ends[index].rx},
		.tx = {&ends[index].tx},
	};
	port->rx_queues = port->tx_queues = 1;
	port->rx_descriptors = port->tx_descriptors = RING_SLOTS;
	port->hands_over = true;
	return 0;
}

/* The remaining end is connected to itself. Packets that no port receives any more are freed. */
static void close_end(struct port *port)
{
	uint16_t index = port->index, others, other = other_end(port, &others);
	struct rte_ring *mine = ends[index].tx.ring, *theirs = ends[index].rx.ring;
	ends[index].rx.ring = ends[index].tx.ring = NULL;
	if (others) {
		receive_from(other, theirs);
		rcu_synchronize();
	}
	drain(mine);
	rte_ring_free(mine);
}

static bool link_is_up(const struct port *port)
{
	return !ends[port->index].is_down;
}

static int set_link(struct port *port, bool up)
{
	ends[port->index].is_down = !up;
	return 0;
}

static struct own_pair queue_counts(const struct port *port, bool rx, uint16_t queue)
{
	(void)queue;
	return own_pair_read(rx ? &ends[port->index].rx.counts : &ends[port->index].tx.counts);
}

static int counters(const struct port *port, struct ws_port_counters *out)
{
	struct own_pair rx = own_pair_read(&ends[port->index].rx.counts);
	struct own_pair tx = own_pair_read(&ends[port->index].tx.counts);
	*out = (struct ws_port_counters){
		.rx_packets = rx.packets,
		.rx_bytes = rx.bytes,
		.tx_packets = tx.packets,
		.tx_bytes = tx.bytes,
	};
	return 0;
}

static void describe(const struct port *port, struct ws_port_info *info)
{
	(void)port;
	info->max_rx_queues = info->max_tx_queues = 1;
}

static const struct port_kind ring_kind = {
	.prefix = "ring:",
	.driver = "ring",
	.has_twins = true,
	.open = open,
	.close = close_end,
	.link_is_up = link_is_up,
	.set_link = set_link,
	.counters = counters,
	.queue_counts = queue_counts,
	.describe = describe,
};
PORT_KIND(ring_kind)
