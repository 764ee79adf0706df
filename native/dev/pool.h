/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of packet buffers: those of the ports' RX rings, and others. */
#pragma once

#include <rte_mempool.h>
#include <stdint.h>

struct ws_port_config;

enum {
	POOL_FRAME_OVERHEAD = 14 + 8, /* Ethernet header and two VLAN tags; NICs strip the FCS */
	POOL_VIRTIO_HEADER_LEN = 12,  /* which the virtio driver counts as part of a frame */
	POOL_XDP_HEADROOM = 256, /* the kernel's headroom before a frame in a buffer of net_af_xdp */
};

/* Make the ports' pools, one per NUMA node with workers, each with enough buffers for all that
 * these ports and the workers can hold. */
int pool_make(const struct ws_port_config *configs, uint16_t count);
/* Nobody may hold a buffer of the pools any more. */
void pool_free(void);
/* The pool of the calling thread's node; NULL while no port is open. */
struct rte_mempool *ports_pool(void);
/* Index of a node's pool; 0 if it has none. */
uint16_t pool_index(int node);
/* The pool of a node for RX of its devices, or the first pool if the node has none. */
struct rte_mempool *pool_near(int node);
/* A further pool of `count` buffers with room for frames of `frame_size` bytes; NULL when memory is
 * short. */
struct rte_mempool *pool_create(const char *name, uint32_t count, uint32_t frame_size);
