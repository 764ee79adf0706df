/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/pool.h"

#include "dev/error.h"
#include "dev/numa.h"
#include "dev/port_kind.h"
#include "dev/worker.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <stdio.h>
#include <string.h>

/* One pool per node with workers; the first worker's comes first. */
static struct {
	struct rte_mempool *pool;
	int node;
} pools[WS_MAX_POOLS];
static uint16_t pool_count;
static uint32_t pool_held, pool_least_buffers, pool_least_frame;

enum {
	POOL_CACHE = 512,
	POOL_SPARE = 4096,
	FRAMES_OF_WORKER = 512, /* two graph frames of 256 packets */
};

uint16_t pool_index(int node)
{
	uint16_t i = pool_count ? pool_count - 1 : 0;
	while (i && pools[i].node != node)
		i--;
	return i;
}

struct rte_mempool *pool_near(int node)
{
	return pools[pool_index(node)].pool;
}

struct rte_mempool *ports_pool(void)
{
	return pool_near(numa_node());
}

/*
 * Like rte_pktmbuf_pool_create. That call, without hugepages, keeps each buffer within a page of 4
 * 096 bytes: one per page, with all headers in the same set of the first-level cache (bench_nodes:
 * ip4 at 86 instead of 37 ticks per packet). Devices see virtual addresses then, so buffers may
 * cross pages.
 */
static struct rte_mempool *create_on(int node, const char *name, uint32_t count,
									 uint32_t frame_size)
{
	struct rte_pktmbuf_pool_private private = {
		.mbuf_data_room_size =
			(uint16_t)(RTE_PKTMBUF_HEADROOM + RTE_MAX(2048u, RTE_ALIGN_CEIL(frame_size, 64u))),
	};
	uint32_t cache = RTE_MIN((uint32_t)POOL_CACHE, count / 2);
	uint32_t size = sizeof(struct rte_mbuf) + private.mbuf_data_room_size;
	unsigned int flags = rte_eal_has_hugepages() ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
	struct rte_mempool *made =
		rte_mempool_create_empty(name, count, size, cache, sizeof(private), node, flags);
	if (!made)
		return NULL;
	int error = rte_mempool_set_ops_byname(made, rte_mbuf_best_mempool_ops(), NULL);
	rte_pktmbuf_pool_init(made, &private);
	if (error || (error = rte_mempool_populate_default(made)) < 0) {
		rte_mempool_free(made);
		rte_errno = -error;
		return NULL;
	}
	rte_mempool_obj_iter(made, rte_pktmbuf_init, NULL);
	return made;
}

static struct rte_mempool *create_near(int node, const char *name, uint32_t count,
									   uint32_t frame_size)
{
	struct rte_mempool *made = create_on(node, name, count, frame_size);
	return made ? made : create_on(SOCKET_ID_ANY, name, count, frame_size);
}

struct rte_mempool *pool_create(const char *name, uint32_t count, uint32_t frame_size)
{
	return create_near(numa_node(), name, count, frame_size);
}

void ws_pool_configure(uint32_t held, uint32_t buffers, uint32_t frame_size)
{
	pool_held = held;
	pool_least_buffers = buffers;
	pool_least_frame = frame_size;
}

static uint32_t buffers_held(const struct ws_port_config *config)
{
	const struct port_kind *kind = port_kind_of(config->devargs);
	uint32_t most = kind->ring_buffers ? kind->ring_buffers(config->devargs) : UINT32_MAX;
	return config->rx_queues * RTE_MIN(config->rx_descriptors, most) +
		   config->tx_queues * RTE_MIN(config->tx_descriptors, most);
}

uint32_t ws_pool_buffers(const struct ws_port_config *configs, uint16_t count, uint16_t workers)
{
	/* POOL_CACHE * 3 / 2: a worker's cache may exceed its size by half before it is emptied. */
	uint32_t buffers = POOL_SPARE + workers * (POOL_CACHE * 3u / 2 + FRAMES_OF_WORKER);
	for (uint16_t i = 0; i < count; i++)
		buffers += buffers_held(&configs[i]);
	return buffers;
}

/* DPDK does not choose the node of ordinary pages, so memory must be bound here. */
static uint16_t list_nodes(void)
{
	uint16_t count = 0;
	for (uint16_t worker = 0; worker < workers_count(); worker++) {
		int node = numa_of_worker(worker);
		bool is_new = count < (rte_eal_has_hugepages() ? WS_MAX_POOLS : 1);
		for (uint16_t i = 0; i < count; i++)
			is_new &= pools[i].node != node;
		if (is_new)
			pools[count++].node = node;
	}
	return count;
}

int pool_make(const struct ws_port_config *configs, uint16_t count)
{
	uint32_t buffers = ws_pool_buffers(configs, count, workers_count()) + pool_held;
	uint32_t mtu = 1500, header = POOL_VIRTIO_HEADER_LEN;
	for (uint16_t i = 0; i < count; i++) {
		mtu = RTE_MAX(mtu, (uint32_t)configs[i].mtu);
		if (!strncmp(configs[i].devargs, "net_af_xdp", strlen("net_af_xdp")))
			header = POOL_XDP_HEADROOM;
	}
	buffers = RTE_MAX(buffers, pool_least_buffers);
	uint32_t frame = RTE_MAX(mtu + POOL_FRAME_OVERHEAD + header, pool_least_frame);
	uint16_t nodes = list_nodes();
	for (uint16_t i = 0; i < nodes; i++) {
		char name[RTE_MEMPOOL_NAMESIZE];
		snprintf(name, sizeof(name), "default-numa-%d", RTE_MAX(pools[i].node, 0));
		pools[i].pool = create_near(pools[i].node, name, buffers, frame);
		if (!pools[i].pool) {
			pool_free();
			return fail(-ENOMEM, "no memory for %u packet buffers: %s", buffers,
						rte_strerror(rte_errno));
		}
		pool_count++;
	}
	return 0;
}

void pool_free(void)
{
	for (uint16_t i = 0; i < pool_count; i++) {
		rte_mempool_free(pools[i].pool);
		pools[i].pool = NULL;
	}
	pool_count = 0;
}

uint16_t ws_pool_count(void)
{
	return pool_count;
}

int ws_pool_info(uint16_t index, struct ws_pool_info *out)
{
	if (index >= pool_count)
		return fail(-ENOENT, "there is no packet pool %u; there are %u", index, pool_count);
	struct rte_mempool *pool = pools[index].pool;
	memset(out, 0, sizeof(*out));
	out->node = pools[index].node;
	snprintf(out->name, sizeof(out->name), "%s", pool->name);
	out->buffer_size = rte_pktmbuf_data_room_size(pool);
	out->total = pool->size;
	out->available = rte_mempool_avail_count(pool);
	for (unsigned int lcore = 0; pool->cache_size && lcore < RTE_MAX_LCORE; lcore++)
		out->cached += __atomic_load_n(&pool->local_cache[lcore].len, __ATOMIC_RELAXED);
	out->cached = RTE_MIN(out->cached, out->available);
	return 0;
}
