/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/lent.h"

#include "dev/memif/peer.h"
#include "dev/numa.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = RTE_PKTMBUF_HEADROOM + MEMIF_BUFFER, CACHE = 512 };
/* The extra 64 bytes spread the buffers over the sets of the L1 cache, as in MEMIF_STRIDE. */
enum { STRIDE = ROOM + 64, ALIGNMENT = 64 };

/* The packet's bytes are in the region, its mbuf is where the server cannot write. */
static void place(struct rte_mempool *pool, void *region, void *object, unsigned index)
{
	struct rte_mbuf *packet = object;
	(void)pool;
	packet->buf_addr = ((struct memif_region *)region)->base + (uint64_t)index * STRIDE;
	packet->buf_iova = (rte_iova_t)(uintptr_t)packet->buf_addr;
	packet->buf_len = ROOM;
	packet->data_off = RTE_PKTMBUF_HEADROOM;
}

int memif_lent_open(struct memif_lent *lent, uint16_t port, uint32_t slots)
{
	char name[RTE_MEMPOOL_NAMESIZE];
	static uint32_t serial;
	uint32_t packets = slots + MEMIF_LENT_SPARE;
	uint64_t size = (uint64_t)packets * STRIDE;
	memset(lent, 0, sizeof(*lent));
	int error = memif_region_make(&lent->region, size + MEMIF_LENT_BYTES);
	if (error)
		return error;
	lent->loans[lent->loan_count++] = (struct memif_loan){0, size};
	snprintf(name, sizeof(name), "lent%u.%u", port, serial++);
	lent->pool = rte_pktmbuf_pool_create(name, packets, CACHE, 0, 0, numa_node());
	if (!lent->pool) {
		memif_lent_close(lent);
		return -rte_errno;
	}
	rte_mempool_obj_iter(lent->pool, place, &lent->region);
	return 0;
}

/* Memory with packets in use must stay mapped; it is never freed. */
void memif_lent_close(struct memif_lent *lent)
{
	if (lent->pool && !rte_mempool_full(lent->pool))
		return;
	rte_mempool_free(lent->pool);
	memif_region_free(&lent->region);
	memset(lent, 0, sizeof(*lent));
}

void *memif_lent_take(struct memif_lent *lent, uint64_t bytes)
{
	uint64_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, at = 0;
	uint16_t i = 0;
	if (lent->loan_count == MEMIF_LOANS || !bytes || bytes > lent->region.size)
		return NULL;
	/* The first gap that is large enough. */
	for (; i < lent->loan_count && lent->loans[i].at - at < size; i++)
		at = lent->loans[i].at + lent->loans[i].size;
	if (lent->region.size - at < size)
		return NULL;
	memmove(&lent->loans[i + 1], &lent->loans[i], (lent->loan_count - i) * sizeof(lent->loans[0]));
	lent->loans[i] = (struct memif_loan){at, size};
	lent->loan_count++;
	return lent->region.base + at;
}

void memif_lent_give_back(struct memif_lent *lent, const void *memory)
{
	uint64_t at = memif_lent_offset(lent, memory);
	uint16_t i = 0;
	while (i < lent->loan_count && lent->loans[i].at != at)
		i++;
	if (i == lent->loan_count)
		return;
	lent->loan_count--;
	memmove(&lent->loans[i], &lent->loans[i + 1], (lent->loan_count - i) * sizeof(lent->loans[0]));
}
