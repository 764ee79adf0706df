/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight packets at once: the loop of a node tests with one branch whether all eight are of the
 * usual kind, and handles them one by one if not.
 */
#pragma once

#include "graph/lanes.h"
#include "router/fib/adjacency.h"
#include "router/packet/metadata.h"
#include "wire/ethernet.h"

enum { EIGHT = LANES };

/* End of the packets that are processed together from `start` on: eight, or the last ones. */
LANES_INLINE uint16_t eight_end(uint16_t start, uint16_t n)
{
	return (uint16_t)(n - start < EIGHT ? n : start + EIGHT);
}

/* All eight go along one edge. */
LANES_INLINE void eight_fill(uint16_t *next, uint16_t edge)
{
	lanes_edges edges = (lanes_edges){0} + edge;
	memcpy(next, &edges, sizeof(edges));
}

LANES_INLINE void eight_data(void *const *packets, void **data)
{
	for (int i = 0; i < EIGHT; i++)
		data[i] = packet_data(packets[i]);
}

/* Sixteen bytes of a packet, or of its mbuf's first line. */
typedef uint16_t eight_part __attribute__((vector_size(16)));
typedef int16_t eight_signed_part __attribute__((vector_size(16)));
union eight_bytes {
	uint8_t bytes[sizeof(eight_part)];
	eight_part part;
};

LANES_INLINE eight_part eight_load_part(const void *place, size_t offset)
{
	eight_part part;
	memcpy(&part, (const uint8_t *)place + offset, sizeof(part));
	return part;
}

/* The bits of sixteen bytes at `offset` in which any of eight places differs from the expected
 * ones. */
LANES_INLINE eight_part eight_differ(const void *const *places, size_t offset, eight_part meant)
{
	eight_part differs = {0};
	for (int i = 0; i < EIGHT; i++)
		differs |= eight_load_part(places[i], offset) ^ meant;
	return differs;
}

LANES_INLINE bool eight_part_is_zero(eight_part part)
{
	uint64_t words[2];
	memcpy(words, &part, sizeof(words));
	return !(words[0] | words[1]);
}

/* True if a 16-bit field of all mbufs is `value`. */
LANES_INLINE bool eight_have_field(void *const *packets, size_t offset, uint16_t value)
{
	size_t start = offset & ~(sizeof(eight_part) - 1);
	eight_part differs = eight_differ((const void *const *)packets, start, (eight_part){0} + value);
	return !differs[(offset - start) / sizeof(value)];
}

/* True if that interface received all packets. */
LANES_INLINE bool eight_came_by(void *const *packets, uint16_t interface)
{
	return eight_have_field(packets, offsetof(struct rte_mbuf, port), interface);
}

/* Pattern for eight_go_by(): a word for each of the eight words of an mbuf's first line from
 * EIGHT_HALF on. */
enum {
	EIGHT_HALF = 32,
	EIGHT_LENGTH = (offsetof(struct rte_mbuf, pkt_len) - EIGHT_HALF) / sizeof(uint32_t),
	EIGHT_TX = (offsetof(struct rte_mbuf, vlan_tci_outer) - EIGHT_HALF) / sizeof(uint32_t),
};

/* Pattern for that RX interface and, unless `longest` is negative, for packets of at most that
 * length in all buffers. */
LANES_INLINE lanes eight_going_by(uint16_t interface, int32_t longest)
{
	lanes wanted = {0};
	wanted[EIGHT_LENGTH] = (uint32_t)longest;
	wanted[EIGHT_TX] = interface;
	return wanted;
}

/* True if all packets match: one difference shows that lengths are not greater and interfaces are
 * equal. */
LANES_INLINE bool eight_go_by(void *const *packets, lanes wanted)
{
	lanes differs = {0}, counts = {0};
	counts[EIGHT_LENGTH] = 1u << 31;
	counts[EIGHT_TX] = UINT16_MAX;
	for (int i = 0; i < EIGHT; i++)
		differs |=
			wanted - lanes_load((const uint32_t *)packets[i] + EIGHT_HALF / sizeof(uint32_t));
	return !lanes_any(differs & counts);
}

LANES_INLINE void eight_set_tx_interface(void *const *packets, uint16_t interface)
{
	for (int i = 0; i < EIGHT; i++)
		packet_set_tx_interface(packets[i], interface);
}

LANES_INLINE bool eight_have_adjacency(void *const *packets, uint32_t adjacency)
{
	uint32_t differs = 0;
	for (int i = 0; i < EIGHT; i++)
		differs |= packet_adjacency(packets[i]) ^ adjacency;
	return !differs;
}

LANES_INLINE uint32_t eight_bytes(void *const *packets)
{
	return lanes_sum(
		lanes_load_at((const void *const *)packets, offsetof(struct rte_mbuf, pkt_len)));
}

/* The length of each packet's data in its first buffer. */
LANES_INLINE lanes eight_lengths(void *const *packets)
{
	return lanes_load_at((const void *const *)packets, offsetof(struct rte_mbuf, data_len)) &
		   0xffff;
}

/* True if a 16-bit field of all mbufs is at least `least` and below 2^15. */
LANES_INLINE bool eight_have_at_least(void *const *packets, size_t offset, int16_t least)
{
	size_t start = offset & ~(sizeof(eight_part) - 1);
	eight_signed_part missing = (eight_signed_part){0} - 1;
	eight_signed_part one_less = (eight_signed_part){0} + (int16_t)(least - 1);
	for (int i = 0; i < EIGHT; i++)
		missing &= one_less - (eight_signed_part)eight_load_part(packets[i], start);
	return missing[(offset - start) / sizeof(least)] < 0;
}

/* True if each packet's first segment has at least that many bytes. */
LANES_INLINE bool eight_have_bytes(void *const *packets, int16_t bytes)
{
	return eight_have_at_least(packets, offsetof(struct rte_mbuf, data_len), bytes);
}

/* True if no packet, over all segments, is longer than `longest`, which is below 2^15. */
LANES_INLINE bool eight_are_no_longer(void *const *packets, int16_t longest)
{
	enum { OFFSET = offsetof(struct rte_mbuf, pkt_len), START = OFFSET & ~15 };
	enum { LOW = (OFFSET - START) / sizeof(longest), HIGH };
	eight_signed_part over = {0}, seen = {0}, limit = (eight_signed_part){0} + longest;
	for (int i = 0; i < EIGHT; i++) {
		eight_signed_part part = (eight_signed_part)eight_load_part(packets[i], START);
		over |= limit - part;
		seen |= part;
	}
	return over[LOW] >= 0 && seen[LOW] >= 0 && !seen[HIGH];
}

/* packet_rewrite() for each packet, for a header without tags. */
LANES_INLINE void eight_rewrite(void *const *packets, void *const *data,
								const struct adjacency *adjacency, uint16_t pushed)
{
	enum { WORD = sizeof(uint64_t), LEN = ETHERNET_LEN };
	const uint8_t *rewrite = adjacency->rewrite + REWRITE_SIZE - LEN;
	uint16_t interface = adjacency->tx_interface;
	uint64_t first, last;
	memcpy(&first, rewrite, WORD);
	memcpy(&last, rewrite + LEN - WORD, WORD);
	for (int i = 0; i < EIGHT; i++) {
		uint8_t *end = (uint8_t *)data[i] - pushed;
		memcpy(end - LEN, &first, WORD);
		memcpy(end - WORD, &last, WORD);
		packet_prepend(packets[i], (uint16_t)(pushed + LEN));
		packet_set_tx_interface(packets[i], interface);
	}
}
