/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/numa.h"

#include <linux/mempolicy.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_memory.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread int asked = SOCKET_ID_ANY;

int numa_of_worker(uint16_t worker)
{
	return (int)rte_lcore_to_socket_id(worker + 1u);
}

/* Checked first, since DPDK tries no node other than the one it is given. */
static bool has_memory(int node)
{
	void *little = rte_malloc_socket("numa", 1, 0, node);
	rte_free(little);
	return little;
}

int numa_node(void)
{
	return asked == SOCKET_ID_ANY ? (int)rte_socket_id() : asked;
}

/* Containers may forbid the call; pages then come from the node of their first access. */
static void prefer(int mode, const unsigned long *nodes, unsigned long count)
{
	if (rte_socket_count() > 1)
		syscall(SYS_set_mempolicy, mode, nodes, count);
}

void numa_for_worker(uint16_t worker)
{
	int node = numa_of_worker(worker);
	unsigned long nodes = 1ul << node;
	asked = has_memory(node) ? node : SOCKET_ID_ANY;
	prefer(MPOL_PREFERRED, &nodes, 8 * sizeof(nodes));
}

void numa_for_all(void)
{
	asked = SOCKET_ID_ANY;
	prefer(MPOL_DEFAULT, NULL, 0);
}
