/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata of a packet from node to node, all in the first cache line of its mbuf.
 *
 *   rx interface  mbuf->port          set by the driver; ethernet-input makes it the sub-interface,
 *                                     and the L2 nodes a bridge domain's BVI
 *   adjacency     mbuf->hash.fdir.hi  set by ip4-lookup: index of the adjacency, or of the load
 *                                     balance on the way to ip4-load-balance, which replaces it
 *   tx interface  mbuf->vlan_tci_outer  the logical one, for all that goes to <if>-output
 *   bridge domain mbuf->vlan_tci      its index, set by l2-input
 *   label         mbuf->hash.fdir.lo  set by mpls-lookup: the entry that it took off the stack
 *   icmp error    mbuf->hash.fdir.lo  set on the edges to ip4-icmp-error and ip6-icmp-error: what
 *                                     to answer
 *   main edge     mbuf->hash.fdir.lo  set by the main thread for main-input: where to
 *
 * The data pointer is at the Ethernet header up to ethernet-input and from ip4-rewrite on, and
 * behind it in between; the received header is then still in front of the data.
 */
#pragma once

#include <rte_mbuf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint8_t *packet_data(const struct rte_mbuf *packet)
{
	return (uint8_t *)packet->buf_addr + packet->data_off;
}

/* Add `bytes` to the packet's length, in its first buffer (two's complement if negative). Both
 * lengths are adjacent in memory, and one addition changes them. */
static inline void packet_lengthen(struct rte_mbuf *packet, uint64_t bytes)
{
	_Static_assert(offsetof(struct rte_mbuf, data_len) == offsetof(struct rte_mbuf, pkt_len) + 4 &&
					   __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
				   "how the lengths of an mbuf lie");
	uint8_t *at = (uint8_t *)packet + offsetof(struct rte_mbuf, pkt_len);
	uint64_t lengths;
	memcpy(&lengths, at, sizeof(lengths));
	lengths += bytes * 0x100000001u;
	memcpy(at, &lengths, sizeof(lengths));
}

/* Move the start of the data by `bytes`, forward if positive. */
static inline void packet_advance(struct rte_mbuf *packet, int bytes)
{
	packet->data_off = (uint16_t)(packet->data_off + bytes);
	packet_lengthen(packet, (uint64_t) - (int64_t)bytes);
}

/* Move the start of the data backward. */
static inline void packet_prepend(struct rte_mbuf *packet, uint16_t bytes)
{
	packet->data_off = (uint16_t)(packet->data_off - bytes);
	packet_lengthen(packet, bytes);
}

/* Keep the first `length` bytes, which are all in the first buffer; the other buffers are freed. */
static inline void packet_truncate(struct rte_mbuf *packet, uint16_t length)
{
	rte_pktmbuf_free(packet->next);
	packet->next = NULL;
	packet->nb_segs = 1;
	packet->data_len = length;
	packet->pkt_len = length;
}

/* Keep the first `length` bytes, in any number of buffers. */
static inline void packet_cut(struct rte_mbuf *packet, uint32_t length)
{
	struct rte_mbuf *last = packet;
	uint16_t count = 1;
	packet->pkt_len = length;
	for (; length > last->data_len; last = last->next, count++)
		length -= last->data_len;
	last->data_len = (uint16_t)length;
	rte_pktmbuf_free(last->next);
	last->next = NULL;
	packet->nb_segs = count;
}

static inline uint32_t packet_adjacency(const struct rte_mbuf *packet)
{
	return packet->hash.fdir.hi;
}

static inline void packet_set_adjacency(struct rte_mbuf *packet, uint32_t adjacency)
{
	packet->hash.fdir.hi = adjacency;
}

static inline uint32_t packet_label(const struct rte_mbuf *packet)
{
	return packet->hash.fdir.lo;
}

static inline void packet_set_label(struct rte_mbuf *packet, uint32_t entry)
{
	packet->hash.fdir.lo = entry;
}

static inline uint16_t packet_tx_interface(const struct rte_mbuf *packet)
{
	return packet->vlan_tci_outer;
}

static inline void packet_set_tx_interface(struct rte_mbuf *packet, uint16_t interface)
{
	packet->vlan_tci_outer = interface;
}

static inline uint16_t packet_domain(const struct rte_mbuf *packet)
{
	return packet->vlan_tci;
}

static inline void packet_set_domain(struct rte_mbuf *packet, uint16_t domain)
{
	packet->vlan_tci = domain;
}

static inline uint16_t packet_main_edge(const struct rte_mbuf *packet)
{
	return (uint16_t)packet->hash.fdir.lo;
}

static inline void packet_set_main_edge(struct rte_mbuf *packet, uint16_t edge)
{
	packet->hash.fdir.lo = edge;
}

/* Set the ICMP error to send: type, code, and the MTU or pointer that belongs to it. */
static inline void packet_set_icmp_error(struct rte_mbuf *packet, uint8_t type, uint8_t code,
										 uint16_t mtu)
{
	packet->hash.fdir.lo = (uint32_t)type << 24 | (uint32_t)code << 16 | mtu;
}

static inline uint8_t packet_icmp_type(const struct rte_mbuf *packet)
{
	return (uint8_t)(packet->hash.fdir.lo >> 24);
}

static inline uint8_t packet_icmp_code(const struct rte_mbuf *packet)
{
	return (uint8_t)(packet->hash.fdir.lo >> 16);
}

static inline uint16_t packet_icmp_mtu(const struct rte_mbuf *packet)
{
	return (uint16_t)packet->hash.fdir.lo;
}

/* In place of the MTU, which a time exceeded error does not have: number of labels in front of the
 * data. */
static inline uint16_t packet_icmp_labels(const struct rte_mbuf *packet)
{
	return packet_icmp_mtu(packet);
}
