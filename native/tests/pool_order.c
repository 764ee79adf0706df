/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/pool_order.h"

#ifdef __has_feature
#define IS_CLANG_TSAN __has_feature(thread_sanitizer)
#else
#define IS_CLANG_TSAN 0
#endif

#if defined(__SANITIZE_THREAD__) || IS_CLANG_TSAN

#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>
#include <string.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static rte_mempool_enqueue_t give_back;
static rte_mempool_dequeue_t get;

static int give_back_in_order(struct rte_mempool *pool, void *const *objects, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		__tsan_release(objects[i]);
	return give_back(pool, objects, n);
}

static int get_in_order(struct rte_mempool *pool, void **objects, unsigned int n)
{
	int error = get(pool, objects, n);
	for (unsigned int i = 0; i < n && !error; i++)
		__tsan_acquire(objects[i]);
	return error;
}

void pool_order_tell(void)
{
	for (uint32_t i = 0; i < rte_mempool_ops_table.num_ops; i++) {
		struct rte_mempool_ops *ops = &rte_mempool_ops_table.ops[i];
		if (strcmp(ops->name, rte_mbuf_best_mempool_ops()) != 0)
			continue;
		give_back = ops->enqueue;
		get = ops->dequeue;
		ops->enqueue = give_back_in_order;
		ops->dequeue = get_in_order;
	}
}

#else

void pool_order_tell(void)
{
}

#endif
