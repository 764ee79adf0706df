/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reception. Packets that a server wrote into its client's lent buffers are passed on in place. All
 * others are copied: the descriptors of a burst are read first, then buffers are allocated in one
 * call, then the packets are copied while the next ones are prefetched, and the ring's index is
 * moved once.
 */
#include "dev/memif/bursts.h"
#include "dev/memif/queue.h"
#include "wire/own_count.h"

#include <rte_mbuf.h>
#include <rte_prefetch.h>

enum { AHEAD = 8, LOOKS = 64, SMALL_RING = 256 };

struct burst {
	const uint8_t *from[MEMIF_BURST];
	uint16_t lengths[MEMIF_BURST];
};

/* The fields that are set in the first cache line of a received packet, as words that are stored
 * whole. */
_Static_assert(offsetof(struct rte_mbuf, rearm_data) + 8 == offsetof(struct rte_mbuf, ol_flags) &&
				   offsetof(struct rte_mbuf, ol_flags) + 8 ==
					   offsetof(struct rte_mbuf, rx_descriptor_fields1) &&
				   offsetof(struct rte_mbuf, rx_descriptor_fields1) + 4 ==
					   offsetof(struct rte_mbuf, pkt_len) &&
				   offsetof(struct rte_mbuf, pkt_len) + 4 == offsetof(struct rte_mbuf, data_len),
			   "set_up writes these words");

/* `data_off`, `refcnt`, `nb_segs` and `port`, the same for all packets of a queue. */
static inline uint64_t rearm_word(uint16_t port)
{
	return RTE_PKTMBUF_HEADROOM | 1ull << 16 | 1ull << 32 | (uint64_t)port << 48;
}

/* The other fields of a packet from the pool are already right. */
static inline void set_up(struct rte_mbuf *packet, uint64_t rearm, uint16_t length)
{
	uint64_t *words = (uint64_t *)&packet->rearm_data;
	__atomic_store_n(&words[0], rearm, __ATOMIC_RELAXED);
	__atomic_store_n(&words[1], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&words[2], (uint64_t)length << 32, __ATOMIC_RELAXED);
	__atomic_store_n(&words[3], length, __ATOMIC_RELAXED);
}

/* Prefetch the data where the process's own pools place it, without a read of the mbuf, which is
 * not in the cache yet. */
static inline void prefetch(const struct rte_mbuf *packet)
{
	__builtin_prefetch(packet, 1);
	__builtin_prefetch((const uint8_t *)(packet + 1) + RTE_PKTMBUF_HEADROOM, 1);
}

static void copy_burst(const struct memif_queue *queue, const struct burst *burst,
					   struct rte_mbuf **packets, uint16_t n)
{
	const uint64_t rearm = rearm_word(queue->port);
	for (uint16_t i = 0; i < AHEAD && i < n; i++)
		prefetch(packets[i]);
	for (uint16_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			prefetch(packets[i + AHEAD]);
		set_up(packets[i], rearm, burst->lengths[i]);
		memif_copy(rte_pktmbuf_mtod(packets[i], uint8_t *), burst->from[i], burst->lengths[i]);
	}
}

/* The client's own buffer that the server was given for slot `index`. */
static inline const uint8_t *client_buffer(const struct memif_queue *queue, uint16_t index)
{
	if (queue->held)
		return (const uint8_t *)(*memif_held(queue, index))->buf_addr + RTE_PKTMBUF_HEADROOM;
	return queue->buffers + (uint64_t)(index & (queue->slots - 1)) * MEMIF_STRIDE;
}

/* ---- Packets in one buffer ---- */

/* Address of the data in slot `index` if that is a whole packet of at most `room` bytes. */
static inline const uint8_t *find_plain(const struct memif_queue *queue, bool is_client,
										uint16_t index, uint16_t room, uint16_t *length)
{
	const struct memif_descriptor at = memif_read(memif_slot(queue, index));
	if (__builtin_expect(at.flags & MEMIF_DESCRIPTOR_NEXT || !at.length || at.length > room, 0))
		return NULL;
	*length = (uint16_t)at.length;
	if (!is_client)
		return memif_find(queue, &at, at.length);
	if (__builtin_expect(at.length > MEMIF_BUFFER, 0))
		return NULL;
	return client_buffer(queue, index);
}

/* ---- Packets in several buffers ---- */

struct pieces {
	struct rte_mbuf *first, *last;
};

/* False if the pool is empty. */
static bool append(struct pieces *pieces, struct rte_mempool *pool, const uint8_t *from,
				   uint32_t length)
{
	while (length) {
		struct rte_mbuf *last = pieces->last;
		uint16_t room = last ? rte_pktmbuf_tailroom(last) : 0;
		if (!room) {
			last = rte_pktmbuf_alloc(pool);
			if (!last)
				return false;
			if (pieces->first) {
				pieces->last->next = last;
				pieces->first->nb_segs++;
			} else {
				pieces->first = last;
			}
			pieces->last = last;
			room = rte_pktmbuf_tailroom(last);
		}
		uint16_t now = (uint16_t)RTE_MIN(length, (uint32_t)room);
		memif_copy(rte_pktmbuf_mtod_offset(last, uint8_t *, last->data_len), from, now);
		last->data_len += now;
		pieces->first->pkt_len += now;
		from += now;
		length -= now;
	}
	return true;
}

/* Receive the packet at the queue's index in any form: a chain of buffers, or NULL if it is invalid
 * or there are no buffers, which is counted. Moves the index past it. */
static struct rte_mbuf *receive_odd(struct memif_queue *queue, bool is_client, uint16_t waiting)
{
	struct pieces pieces = {0};
	uint32_t total = 0;
	bool is_sound = true, has_room = true, goes_on = true;
	for (; waiting && goes_on; waiting--, queue->at++) {
		const struct memif_descriptor at = memif_read(memif_slot(queue, queue->at));
		const uint8_t *from = NULL;
		if (!is_client)
			from = memif_find(queue, &at, at.length);
		else if (at.length <= MEMIF_BUFFER)
			from = client_buffer(queue, queue->at);
		goes_on = at.flags & MEMIF_DESCRIPTOR_NEXT;
		is_sound = is_sound && from && at.length <= MEMIF_LONGEST - total;
		if (is_sound && has_room)
			has_room = append(&pieces, queue->pool, from, at.length);
		total += is_sound ? at.length : 0;
	}
	is_sound = is_sound && !goes_on && total;
	if (is_sound && has_room) {
		pieces.first->port = queue->port;
		return pieces.first;
	}
	rte_pktmbuf_free(pieces.first);
	own_count_add(is_sound ? &queue->no_buffer : &queue->errors, 1);
	return NULL;
}

/* ---- Both ---- */

/* Receive up to `waiting` slots from the queue's index on; returns the number of packets. */
static inline uint16_t take(struct memif_queue *queue, bool is_client, struct rte_mbuf **packets,
							uint16_t n, uint16_t waiting)
{
	uint16_t room = (uint16_t)(rte_pktmbuf_data_room_size(queue->pool) - RTE_PKTMBUF_HEADROOM);
	uint16_t end = (uint16_t)(queue->at + waiting), taken = 0;
	uint64_t bytes = 0;
	struct burst burst;
	while (taken < n && queue->at != end) {
		uint16_t most = RTE_MIN((uint16_t)(n - taken), (uint16_t)(end - queue->at)), plain = 0;
		most = RTE_MIN(most, (uint16_t)MEMIF_BURST);
		for (; plain < most; plain++) {
			const uint8_t *from = find_plain(queue, is_client, (uint16_t)(queue->at + plain), room,
											 &burst.lengths[plain]);
			if (__builtin_expect(!from, 0))
				break;
			rte_prefetch0(from);
			burst.from[plain] = from;
		}
		if (plain && rte_mempool_get_bulk(queue->pool, (void **)(packets + taken), plain)) {
			/* These packets are dropped; otherwise the ring would stay full until buffers are
			 * freed. */
			own_count_add(&queue->no_buffer, plain);
			queue->at += plain;
			continue;
		}
		copy_burst(queue, &burst, packets + taken, plain);
		for (uint16_t i = 0; i < plain; i++)
			bytes += burst.lengths[i];
		taken += plain;
		queue->at += plain;
		if (plain == most)
			continue;
		struct rte_mbuf *odd = receive_odd(queue, is_client, (uint16_t)(end - queue->at));
		if (odd) {
			bytes += odd->pkt_len;
			packets[taken++] = odd;
		}
	}
	own_pair_add(&queue->counts, taken, bytes);
	return taken;
}

/* ---- Without a copy ---- */

/* Pass on packets in place and put empty ones into their slots. Packets that are not whole in one
 * slot are left in place, as are all if there are no empty packets. */
static uint16_t take_lent(struct memif_queue *queue, struct rte_mbuf **packets, uint16_t n)
{
	struct rte_mbuf *others[MEMIF_BURST];
	uint16_t taken = 0;
	uint64_t bytes = 0;
	const uint64_t rearm = rearm_word(queue->port);
	n = RTE_MIN(n, (uint16_t)MEMIF_BURST);
	if (rte_mempool_get_bulk(queue->lent->pool, (void **)others, n))
		return 0;
	for (uint16_t i = 0; i < AHEAD && i < n; i++)
		__builtin_prefetch(*memif_held(queue, (uint16_t)(queue->at + i)), 1);
	for (; taken < n; taken++, queue->at++) {
		const struct memif_descriptor at = memif_read(memif_slot(queue, queue->at));
		struct rte_mbuf **held = memif_held(queue, queue->at);
		__builtin_prefetch(*memif_held(queue, (uint16_t)(queue->at + AHEAD)), 1);
		if (at.flags & MEMIF_DESCRIPTOR_NEXT || !at.length || at.length > MEMIF_BUFFER)
			break;
		packets[taken] = *held;
		*held = others[taken];
		set_up(packets[taken], rearm, (uint16_t)at.length);
		rte_prefetch0(rte_pktmbuf_mtod(packets[taken], const uint8_t *));
		bytes += at.length;
	}
	if (taken < n)
		rte_mempool_put_bulk(queue->lent->pool, (void **)others + taken, n - taken);
	own_pair_add(&queue->counts, taken, bytes);
	return taken;
}

/* Offer the slots before the queue's index as empty buffers. */
static void offer(struct memif_queue *queue, uint16_t from)
{
	for (uint16_t i = from; i != queue->at; i++) {
		/* The server had stored the packet's length there. */
		if (queue->held)
			memif_write(memif_slot(queue, i), 0, MEMIF_LENT_REGION, MEMIF_BUFFER,
						(uint32_t)memif_lent_offset(queue->lent, client_buffer(queue, i)));
		else
			memif_write(memif_slot(queue, i), 0, 0, MEMIF_BUFFER, memif_buffer_at(queue, i));
	}
	__atomic_store_n(&queue->ring->head, (uint16_t)(queue->at + queue->slots), __ATOMIC_RELEASE);
}

/* The client reads the index at each burst but seldom needs the slots. So it is published after a
 * quarter of the ring, or after some empty polls. A worker that may sleep publishes it at once, and
 * so does one with a small ring. */
static inline void offer_back_some(struct memif_queue *queue, bool is_empty)
{
	uint16_t slots = (uint16_t)(queue->at - queue->told);
	if (!slots)
		return;
	queue->looks = is_empty ? queue->looks + 1 : 0;
	if (slots < queue->slots / 4 && queue->looks < LOOKS && !queue->is_armed &&
		queue->slots > SMALL_RING)
		return;
	memif_offer_back(queue);
}

static uint16_t receive_as_server(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	struct memif_queue *queue = argument;
	uint16_t taken = 0;
	rte_spinlock_lock(&queue->lock);
	if (queue->has_ring) {
		uint16_t head = __atomic_load_n(&queue->ring->head, __ATOMIC_ACQUIRE);
		uint16_t waiting = (uint16_t)(head - queue->at);
		if (__builtin_expect(waiting > queue->slots, 0)) {
			memif_break(queue);
		} else {
			if (waiting)
				taken = take(queue, false, packets, n, waiting);
			offer_back_some(queue, !waiting);
		}
	}
	memif_unlock(queue);
	return taken;
}

static uint16_t receive_as_client(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	struct memif_queue *queue = argument;
	uint16_t taken = 0;
	rte_spinlock_lock(&queue->lock);
	if (queue->has_ring) {
		uint16_t tail = __atomic_load_n(&queue->ring->tail, __ATOMIC_ACQUIRE), from = queue->at;
		uint16_t waiting = (uint16_t)(tail - from);
		if (__builtin_expect(waiting > queue->slots, 0)) {
			memif_break(queue);
		} else if (waiting) {
			if (queue->held)
				taken = take_lent(queue, packets, RTE_MIN(n, waiting));
			if (!taken)
				taken = take(queue, true, packets, n, waiting);
			offer(queue, from);
		}
	}
	memif_unlock(queue);
	return taken;
}

const struct memif_receive MEMIF_RECEIVE = {{receive_as_server, receive_as_client}};
