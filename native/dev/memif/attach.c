/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/attach.h"

#include <rte_mbuf.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Zero copy, client's ring: the array of the packets that its slots hold. In a ring to receive
 * from, each slot has a packet from the beginning. NULL: packets are copied. */
static struct rte_mbuf **borrow(struct memif_queue *queue, const struct memif_peer *peer,
								bool is_rx)
{
	if (!queue->lent || peer->region_count <= MEMIF_LENT_REGION)
		return NULL;
	struct rte_mbuf **held = calloc(queue->slots, sizeof(*held));
	if (!held || !is_rx)
		return held;
	if (rte_mempool_get_bulk(queue->lent->pool, (void **)held, queue->slots)) {
		free(held);
		return NULL;
	}
	for (uint32_t i = 0; i < queue->slots; i++)
		queue->ring->descriptors[i] = (struct memif_descriptor){
			.region = MEMIF_LENT_REGION,
			.length = MEMIF_BUFFER,
			.offset =
				(uint32_t)memif_lent_offset(queue->lent, held[i]->buf_addr) + RTE_PKTMBUF_HEADROOM,
		};
	return held;
}

/* The peer has disconnected: free the packets that it held, sent ones and empty ones. */
static void take_back(struct memif_queue *queue)
{
	for (uint32_t i = 0; queue->held && i < queue->slots; i++)
		rte_pktmbuf_free(queue->held[i]);
	free(queue->held);
	queue->held = NULL;
}

static void give(struct memif_queue *queue, struct memif_peer *peer, enum memif_direction direction,
				 uint16_t index, bool is_rx)
{
	const struct memif_peer_ring *ring = &peer->rings[direction][index];
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	rte_spinlock_lock(&queue->lock);
	queue->ring = memif_peer_ring(peer, direction, index);
	queue->slots = 1u << ring->log2_slots;
	queue->at = queue->told = queue->looks = 0;
	/* No slot counts as free, so the first burst reads the peer's index. */
	queue->seen = ring->buffers && !is_rx ? (uint16_t)-queue->slots : 0;
	queue->regions = peer->regions;
	queue->region_count = peer->region_count;
	queue->fd = ring->fd;
	queue->buffers = ring->buffers;
	queue->buffers_at = (uint32_t)(ring->buffers ? ring->buffers - peer->regions[0].base : 0);
	queue->reclaimed = 0;
	queue->held = borrow(queue, peer, is_rx);
	queue->shared = NULL;
	queue->is_broken = false;
	queue->has_ring = true;
	if (is_rx) {
		__atomic_store_n(&queue->ring->flags, queue->is_armed ? 0 : MEMIF_RING_MASKED,
						 __ATOMIC_RELAXED);
		epoll_ctl(queue->epoll, EPOLL_CTL_ADD, queue->fd, &event);
		/* A client offers all its buffers. This is done only now, since DPDK's server starts with
		 * its own ring indices. */
		if (queue->buffers)
			__atomic_store_n(&queue->ring->head, (uint16_t)queue->slots, __ATOMIC_RELEASE);
	}
	rte_spinlock_unlock(&queue->lock);
}

static void take_away(struct memif_queue *queue, bool is_rx)
{
	rte_spinlock_lock(&queue->lock);
	/* The peer has the eventfd too, so closing it here alone would leave it in the epoll set. */
	if (is_rx && queue->ring)
		epoll_ctl(queue->epoll, EPOLL_CTL_DEL, queue->fd, NULL);
	take_back(queue);
	queue->has_ring = queue->is_broken = false;
	queue->ring = NULL;
	queue->regions = NULL;
	queue->buffers = NULL;
	queue->fd = -1;
	rte_spinlock_unlock(&queue->lock);
}

void memif_attach(struct memif_port *port, struct memif_peer *peer)
{
	enum memif_direction in = port->role == MEMIF_SERVER ? MEMIF_S2M : MEMIF_M2S;
	enum memif_direction out = port->role == MEMIF_SERVER ? MEMIF_M2S : MEMIF_S2M;
	for (uint16_t i = 0; i < peer->ring_counts[in] && i < port->rx_count; i++)
		give(&port->rx[i], peer, in, i, true);
	for (uint16_t i = 0; i < peer->ring_counts[out] && i < port->tx_count; i++)
		give(&port->tx[i], peer, out, i, false);
	for (uint16_t i = peer->ring_counts[out]; i < port->tx_count && peer->ring_counts[out]; i++)
		__atomic_store_n(&port->tx[i].shared, &port->tx[i % peer->ring_counts[out]],
						 __ATOMIC_RELAXED);
	__atomic_store_n(&port->tx_rings, RTE_MIN(peer->ring_counts[out], port->tx_count),
					 __ATOMIC_RELEASE);
	__atomic_store_n(&port->is_connected, true, __ATOMIC_RELEASE);
}

void memif_detach(struct memif_port *port)
{
	__atomic_store_n(&port->is_connected, false, __ATOMIC_RELEASE);
	for (uint16_t i = 0; i < port->rx_count; i++)
		take_away(&port->rx[i], true);
	for (uint16_t i = 0; i < port->tx_count; i++)
		take_away(&port->tx[i], false);
}

bool memif_is_broken(const struct memif_port *port)
{
	bool is_broken = false;
	for (uint16_t i = 0; i < port->rx_count; i++)
		is_broken |= __atomic_load_n(&port->rx[i].is_broken, __ATOMIC_ACQUIRE);
	for (uint16_t i = 0; i < port->tx_count; i++)
		is_broken |= __atomic_load_n(&port->tx[i].is_broken, __ATOMIC_ACQUIRE);
	return is_broken;
}

void memif_interrupt(const struct memif_queue *queue)
{
	const uint64_t one = 1;
	(void)!write(queue->fd, &one, sizeof(one));
}
