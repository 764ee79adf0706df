/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of a burst: ready packets in turn, or copies made for it. */
#include "generator/traffic/burst.h"

#include "generator/port_extension.h"

#include <rte_memcpy.h>
#include <rte_mempool.h>
#include <string.h>

enum { RENDER_LEAST = 32 };
/* Number of ready packets by which the position may advance before the packets in use move to the
 * front again. The packets of three streams, and what a driver reads of them, should stay in the L1
 * cache. */
enum { WANDER = 32 };

static uint16_t take_stashed(struct traffic *traffic, struct sender *sender,
							 struct rte_mbuf **packets, uint16_t *lengths, uint16_t n)
{
	uint16_t taken = 0;
	for (; taken < n && sender->stash; taken++) {
		packets[taken] = sender->stash;
		lengths[taken] = sender->stash->data_len;
		sender->stash = packets[taken]->next;
		packets[taken]->next = NULL;
	}
	traffic->stashed -= taken;
	return taken;
}

static inline void take_ready(struct sender *sender, struct rte_mbuf **packets, uint16_t *lengths,
							  uint16_t n)
{
	uint32_t position = sender->position, count = sender->ready_count;
	if (n >= BURST / 4 && position + n < count) {
		memcpy(packets, sender->ready + position, n * sizeof(*packets));
		for (uint16_t i = 0; i < n; i++)
			lengths[i] = sender->frame_len;
		position += n;
	} else {
		for (uint16_t i = 0; i < n; i++) {
			packets[i] = sender->ready[position];
			lengths[i] = sender->frame_len;
			position = position + 1 == count ? 0 : position + 1;
		}
	}
	sender->position = position;
	if (__builtin_expect(!sender->same_length, 0))
		for (uint16_t i = 0; i < n; i++)
			lengths[i] = packets[i]->data_len;
}

/* Write the program's next values into the next ready packets, which are consecutive. */
static void render_ready(struct sender *sender, uint32_t first, uint16_t n)
{
	struct rte_mbuf **packets = sender->ready + first;
	uint16_t lengths[BURST];
	sender->rendered += n;
	if (!sender->program && !sender->source) /* packets differ only in their numbers */
		return;
	for (uint16_t i = 0; i < n; i++)
		lengths[i] = sender->frame_len;
	sender_finish(sender, sender->ready_bytes + first, lengths, n);
	if (sender->same_length)
		return;
	for (uint16_t i = 0; i < n; i++)
		packets[i]->pkt_len = packets[i]->data_len = lengths[i];
}

/* No driver holds a ready packet, so those to be taken next move to the front, since these are in
 * the cache. Skipped if they wrap around the end of the circle, which is rare. */
static void move_to_front(struct sender *sender)
{
	struct rte_mbuf **ready = sender->ready, **from = ready + sender->position;
	uint8_t **bytes = sender->ready_bytes, **from_bytes = bytes + sender->position;
	if (sender->position + sender->rendered > sender->ready_count)
		return;
	for (uint32_t i = 0; i < sender->rendered; i++) {
		struct rte_mbuf *packet = ready[i];
		uint8_t *data = bytes[i];
		ready[i] = from[i];
		bytes[i] = from_bytes[i];
		from[i] = packet;
		from_bytes[i] = data;
	}
	sender->position = 0;
}

/* Write values into at least the next `n` ready packets. If a burst takes only a few, since packets
 * of other streams alternate with them, some more are written at once. Not inlined, since most
 * calls find all packets written. */
static __attribute__((noinline)) void render_next(struct traffic *traffic, struct sender *sender,
												  uint16_t n)
{
	if (traffic->was_home && sender->burst != traffic->burst && sender->position >= WANDER)
		move_to_front(sender);
	sender->burst = traffic->burst;
	while (sender->rendered < n) {
		uint32_t first = sender->position + sender->rendered;
		first -= first < sender->ready_count ? 0 : sender->ready_count;
		uint32_t count = RTE_MAX((uint32_t)n - sender->rendered, (uint32_t)RENDER_LEAST);
		render_ready(sender, first, (uint16_t)RTE_MIN(count, sender->ready_count - first));
	}
}

static void copy_ready(struct sender *sender, uint8_t *const *bytes, uint16_t *lengths, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *from = sender->ready[sender->position];
		sender->position = sender->position + 1 == sender->ready_count ? 0 : sender->position + 1;
		lengths[i] = from->data_len;
		rte_memcpy(bytes[i], rte_pktmbuf_mtod(from, const uint8_t *), from->data_len);
	}
}

static void build_packets(struct sender *sender, uint8_t *const *bytes, uint16_t *lengths,
						  uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		lengths[i] = sender->frame_len;
		rte_memcpy(bytes[i], sender->template, sender->frame_len);
	}
	sender_finish(sender, bytes, lengths, n);
}

/* Make packets in buffers of their own; none if there are fewer than `n` buffers. */
static uint16_t make_fresh(struct traffic *traffic, struct sender *sender,
						   struct rte_mbuf **packets, uint16_t *lengths, uint16_t n)
{
	uint8_t *bytes[BURST];
	if (sender->source && sender->source->available)
		n = (uint16_t)RTE_MIN(n, sender->source->available(sender->source));
	/* Only this function draws from the pool, and drivers return packets unchanged: no reset is
	 * needed. */
	if (!n || rte_mempool_get_bulk(traffic->fresh, (void **)packets, n))
		return 0;
	for (uint16_t i = 0; i < n; i++)
		bytes[i] = rte_pktmbuf_mtod(packets[i], uint8_t *);
	if (sender->ready_count)
		copy_ready(sender, bytes, lengths, n);
	else
		build_packets(sender, bytes, lengths, n);
	for (uint16_t i = 0; i < n; i++)
		packets[i]->pkt_len = packets[i]->data_len = lengths[i];
	return n;
}

static __attribute__((noinline)) uint16_t make_packets(struct traffic *traffic,
													   struct sender *sender,
													   struct rte_mbuf **packets, uint16_t *lengths,
													   uint16_t n)
{
	uint16_t taken = take_stashed(traffic, sender, packets, lengths, n);
	return taken + make_fresh(traffic, sender, packets + taken, lengths + taken, n - taken);
}

uint16_t sender_take(struct traffic *traffic, struct sender *sender, struct rte_mbuf **packets,
					 uint16_t *lengths, uint16_t n)
{
	if (!sender_lends(traffic, sender))
		return make_packets(traffic, sender, packets, lengths, n);
	if (sender->renewed) {
		if (sender->burst != traffic->burst || sender->rendered < n)
			render_next(traffic, sender, n);
		sender->rendered -= n;
	}
	take_ready(sender, packets, lengths, n);
	traffic->handed += n;
	return n;
}
