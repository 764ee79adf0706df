/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/traffic/ready.h"

#include "dev/numa.h"

#include <errno.h>
#include <rte_mempool.h>
#include <stdlib.h>

#define OPS_NAME "wirespeed_ready"

/* The pool's data. Written by the worker that sends, and by a thread that closes a connection. */
struct returned {
	uint64_t count;
};

static int ready_alloc(struct rte_mempool *pool)
{
	pool->pool_data = calloc(1, sizeof(struct returned));
	return pool->pool_data ? 0 : -ENOMEM;
}

static void ready_free(struct rte_mempool *pool)
{
	free(pool->pool_data);
}

static int ready_enqueue(struct rte_mempool *pool, void *const *objects, unsigned n)
{
	(void)objects;
	__atomic_fetch_add(&((struct returned *)pool->pool_data)->count, n, __ATOMIC_RELEASE);
	return 0;
}

static int ready_dequeue(struct rte_mempool *pool, void **objects, unsigned n)
{
	(void)pool, (void)objects, (void)n;
	return -ENOBUFS;
}

static unsigned ready_count(const struct rte_mempool *pool)
{
	return pool->populated_size;
}

static const struct rte_mempool_ops ready_ops = {
	.name = OPS_NAME,
	.alloc = ready_alloc,
	.free = ready_free,
	.enqueue = ready_enqueue,
	.dequeue = ready_dequeue,
	.get_count = ready_count,
};
RTE_MEMPOOL_REGISTER_OPS(ready_ops)

static void collect(struct rte_mempool *pool, void *packets, void *object, unsigned index)
{
	(void)pool;
	((struct rte_mbuf **)packets)[index] = object;
}

struct rte_mempool *ready_pool_create(const char *name, uint32_t count, uint32_t room,
									  uint8_t *bytes, struct rte_mbuf **packets)
{
	uint16_t behind = bytes ? 0 : (uint16_t)(RTE_PKTMBUF_HEADROOM + room);
	struct rte_mempool *pool =
		rte_pktmbuf_pool_create_by_ops(name, count, 0, 0, behind, numa_node(), OPS_NAME);
	if (!pool)
		return NULL;
	rte_mempool_obj_iter(pool, collect, packets);
	for (uint32_t i = 0; bytes && i < count; i++) {
		packets[i]->buf_addr = bytes + (uint64_t)i * room;
		packets[i]->buf_iova = (rte_iova_t)(uintptr_t)packets[i]->buf_addr;
		packets[i]->buf_len = (uint16_t)room;
		packets[i]->data_off = 0;
	}
	((struct returned *)pool->pool_data)->count = 0;
	return pool;
}

uint64_t ready_pool_returned(const struct rte_mempool *pool)
{
	return __atomic_load_n(&((const struct returned *)pool->pool_data)->count, __ATOMIC_ACQUIRE);
}
