/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue of a memif port, as seen by a worker: it has a ring while a peer is connected.
 *
 * The control thread (control.c) adds and removes rings under the queue's lock; a worker holds the
 * lock for a burst. Code reads each word of shared memory once and checks it before use: a peer may
 * write there at any time.
 */
#pragma once

#include "dev/memif/lent.h"
#include "dev/memif/peer.h"
#include "dev/port_kind.h"

#include <rte_mempool.h>
#include <rte_spinlock.h>

struct memif_queue {
	rte_spinlock_t lock;
	bool has_ring;
	bool is_broken; /* the peer violated the ring's rules and is to be disconnected */
	bool is_armed;  /* interrupts are wanted */
	uint16_t at;    /* the index that this side moves */
	uint16_t seen;  /* TX only: the peer's index as last read */
	uint16_t told;  /* RX of a server only: this side's index as last published */
	uint16_t looks; /* RX of a server only: number of empty polls since then */
	uint16_t port;
	uint32_t slots;
	struct memif_ring *ring;
	struct memif_region *regions;
	uint16_t region_count;
	int fd;                     /* the ring's eventfd */
	uint8_t *buffers;           /* client only */
	uint32_t buffers_at;        /* offset of the buffers in the region */
	uint16_t reclaimed;         /* TX only: packets before this index were freed */
	struct memif_lent *lent;    /* NULL: packets are copied */
	struct rte_mbuf **held;     /* packet in each slot; NULL: none */
	struct memif_queue *shared; /* a TX queue without a ring of its own uses this queue's */
	struct rte_mempool *pool;   /* pool for received packets */
	struct own_pair counts;
	uint64_t errors;    /* descriptors outside their region, or with an impossible length */
	uint64_t no_buffer; /* packets dropped since the pool was empty */
	int epoll;          /* RX only: readable when a packet may have come */
} __attribute__((aligned(128)));

/* MEMIF_LONGEST: longest packet that is assembled from several buffers. */
enum { MEMIF_LONGEST = 16384, MEMIF_BURST = 256 };

static inline struct memif_descriptor *memif_slot(const struct memif_queue *queue, uint16_t index)
{
	return &queue->ring->descriptors[index & (queue->slots - 1)];
}

/* The first half of a descriptor, read and written as one word. */
union memif_head {
	struct {
		uint16_t flags, region;
		uint32_t length;
	};
	uint64_t word;
};

/* A snapshot: the peer may change the descriptor at any time. */
static inline struct memif_descriptor memif_read(const struct memif_descriptor *shared)
{
	const union memif_head head = {.word =
									   __atomic_load_n((const uint64_t *)shared, __ATOMIC_RELAXED)};
	return (struct memif_descriptor){
		.flags = head.flags,
		.region = head.region,
		.length = head.length,
		.offset = __atomic_load_n(&shared->offset, __ATOMIC_RELAXED),
	};
}

static inline void memif_write(struct memif_descriptor *shared, uint16_t flags, uint16_t region,
							   uint32_t length, uint32_t offset)
{
	const union memif_head head = {.flags = flags, .region = region, .length = length};
	__atomic_store_n((uint64_t *)shared, head.word, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->offset, offset, __ATOMIC_RELAXED);
}

/* TX only: slots that are free according to the peer's index `peer`; on a server, those that the
 * client offered. */
static inline uint16_t memif_free_slots(const struct memif_queue *queue, bool is_client,
										uint16_t peer)
{
	return (uint16_t)(peer + (is_client ? queue->slots : 0) - queue->at);
}

/* Offset of the buffer of a client's slot in the first region. */
static inline uint32_t memif_buffer_at(const struct memif_queue *queue, uint16_t index)
{
	return queue->buffers_at + (index & (queue->slots - 1)) * MEMIF_STRIDE;
}

static inline struct rte_mbuf **memif_held(const struct memif_queue *queue, uint16_t index)
{
	return &queue->held[index & (queue->slots - 1)];
}

/* Address of `length` bytes that the descriptor names; NULL if they are outside of its region. */
static inline uint8_t *memif_find(const struct memif_queue *queue,
								  const struct memif_descriptor *at, uint32_t length)
{
	if (__builtin_expect(at->region >= queue->region_count, 0))
		return NULL;
	const struct memif_region *region = &queue->regions[at->region];
	if (__builtin_expect((uint64_t)at->offset + length > region->size, 0))
		return NULL;
	return region->base + at->offset;
}

/* The peer violated the rules: stop using its ring and notify the control thread. */
void memif_break(struct memif_queue *queue);

/* Copy exactly `length` bytes: memory behind a packet must not leak to the peer. */
static inline void memif_copy(uint8_t *restrict to, const uint8_t *restrict from, uint32_t length)
{
	if (__builtin_expect(length > 64, 0)) {
		for (; length > 128; length -= 64, to += 64, from += 64)
			__builtin_memcpy(to, from, 64);
		/* Length 65 to 128: two overlapping copies. */
		__builtin_memcpy(to, from, 64);
		to += length - 64;
		from += length - 64;
		__builtin_memcpy(to, from, 64);
	} else if (__builtin_expect(length >= 32, 1)) {
		__builtin_memcpy(to, from, 32);
		__builtin_memcpy(to + length - 32, from + length - 32, 32);
	} else {
		for (uint32_t i = 0; i < length; i++)
			to[i] = from[i];
	}
}

/* Send the peer an interrupt. */
void memif_interrupt(const struct memif_queue *queue);

/* Server only: publish the queue's index, so that the client may write into the slots before it
 * again. */
static inline void memif_offer_back(struct memif_queue *queue)
{
	queue->told = queue->at;
	queue->looks = 0;
	__atomic_store_n(&queue->ring->tail, queue->at, __ATOMIC_RELEASE);
}

/* A plain store: rte_spinlock_unlock exchanges on x86, which waits for the pending stores to the
 * peer's cache lines. */
static inline void memif_unlock(struct memif_queue *queue)
{
	__atomic_store_n(&queue->lock.locked, 0, __ATOMIC_RELEASE);
}

/* Publish the queue's index and, if the peer wants that, send it an interrupt. The exchange orders
 * the index before the load of the flag: a peer that has just unmasked interrupts either sees the
 * packets or gets an interrupt. */
static inline void memif_publish(struct memif_queue *queue, uint16_t *index)
{
	(void)__atomic_exchange_n(index, queue->at, __ATOMIC_SEQ_CST);
	if (__builtin_expect(
			!(__atomic_load_n(&queue->ring->flags, __ATOMIC_RELAXED) & MEMIF_RING_MASKED), 0))
		memif_interrupt(queue);
}
