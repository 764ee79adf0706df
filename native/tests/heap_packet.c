/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/heap_packet.h"

#include "dev/pool.h"

#include <stdlib.h>
#include <string.h>

struct block {
	struct rte_mbuf_ext_shared_info shared;
	void *bytes;
};

static void free_block(void *bytes, void *block)
{
	free(bytes);
	free(block);
}

static struct rte_mbuf *make_piece(const uint8_t *bytes, size_t length, size_t headroom)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
	struct block *block = calloc(1, sizeof(*block));
	uint8_t *memory = malloc(headroom + length);
	if (!packet || !block || !memory)
		abort();
	block->shared.free_cb = free_block;
	block->shared.fcb_opaque = block;
	rte_mbuf_ext_refcnt_set(&block->shared, 1);
	rte_pktmbuf_attach_extbuf(packet, memory, RTE_BAD_IOVA, (uint16_t)(headroom + length),
							  &block->shared);
	packet->data_off = (uint16_t)headroom;
	packet->data_len = (uint16_t)length;
	packet->pkt_len = (uint32_t)length;
	memcpy(memory + headroom, bytes, length);
	return packet;
}

struct rte_mbuf *heap_packet(const uint8_t *bytes, size_t length, size_t piece, size_t headroom)
{
	struct rte_mbuf *packet = make_piece(bytes, RTE_MIN(length, piece), headroom);
	for (size_t at = piece; at < length; at += piece)
		rte_pktmbuf_chain(packet, make_piece(bytes + at, RTE_MIN(piece, length - at), headroom));
	return packet;
}
