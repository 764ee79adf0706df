/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/node_pool.h"

#include "dev/rcu.h"
#include "router/fib/address_space.h"

/* Number of retired nodes that are reclaimed, with a wait for the workers, before unused memory is
 * taken. */
enum { RECLAIM_BATCH = 1024 };
#define NO_NODE UINT32_MAX

bool node_pool_init(struct node_pool *pool, void *memory, uint32_t capacity, size_t node_bytes)
{
	*pool = (struct node_pool){
		.nodes = memory,
		.node_bytes = node_bytes,
		.capacity = capacity,
		.first_free = NO_NODE,
		.first_retired = NO_NODE,
	};
	pool->links = address_space_reserve(capacity * sizeof(*pool->links));
	return pool->links;
}

void node_pool_close(struct node_pool *pool)
{
	address_space_release(pool->links, pool->capacity * sizeof(*pool->links));
	*pool = (struct node_pool){0};
}

static uint32_t number_of(const struct node_pool *pool, const void *memory)
{
	return (uint32_t)((size_t)((const uint8_t *)memory - pool->nodes) / pool->node_bytes);
}

uint32_t *node_pool_link(const struct node_pool *pool, const void *memory)
{
	return &pool->links[number_of(pool, memory)];
}

/* Wait for the workers; then retired nodes can be taken again. */
static void reclaim(struct node_pool *pool)
{
	rcu_synchronize();
	while (pool->first_retired != NO_NODE) {
		uint32_t node = pool->first_retired;
		pool->first_retired = pool->links[node];
		pool->links[node] = pool->first_free;
		pool->first_free = node;
	}
	pool->free_count += pool->retired_count;
	pool->retired_count = 0;
}

bool node_pool_reserve(struct node_pool *pool, uint32_t wanted)
{
	uint32_t fresh = pool->capacity - pool->made;
	if (wanted <= pool->free_count)
		return true;
	if (pool->retired_count >= RECLAIM_BATCH ||
		(pool->retired_count && wanted > pool->free_count + fresh))
		reclaim(pool);
	return wanted <= pool->free_count + fresh;
}

void *node_pool_take(struct node_pool *pool)
{
	uint32_t node = pool->first_free;
	if (node == NO_NODE) {
		node = pool->made++;
	} else {
		pool->first_free = pool->links[node];
		pool->free_count--;
	}
	pool->links[node] = 0;
	pool->used++;
	return pool->nodes + node * pool->node_bytes;
}

void node_pool_retire(struct node_pool *pool, const void *memory)
{
	uint32_t node = number_of(pool, memory);
	pool->links[node] = pool->first_retired;
	pool->first_retired = node;
	pool->retired_count++;
	pool->used--;
}
