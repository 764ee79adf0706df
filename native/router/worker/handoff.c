/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/handoff.h"

#include "dev/error.h"
#include "dev/numa.h"
#include "dev/port.h"
#include "router/interface/interface_settings.h"
#include "router/module.h"
#include "wirespeed/placement.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_ring.h>
#include <stdio.h>

static void handoff_close(struct ws_router *router)
{
	void *packet;
	for (uint16_t i = 0; i < router->worker_count; i++) {
		while (router->handoff_rings[i] && !rte_ring_dequeue(router->handoff_rings[i], &packet))
			rte_pktmbuf_free(packet);
		rte_ring_free(router->handoff_rings[i]);
		router->handoff_rings[i] = NULL;
	}
}

static int make_rings(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++) {
		char name[RTE_RING_NAMESIZE];
		snprintf(name, sizeof(name), "handoff-%u", i);
		numa_for_worker(i);
		router->handoff_rings[i] = rte_ring_create(name, HANDOFF_SLOTS, numa_node(), RING_F_SC_DEQ);
		numa_for_all();
		if (!router->handoff_rings[i])
			return fail(-ENOMEM, "no memory for handing off packets: %s", rte_strerror(rte_errno));
	}
	return 0;
}

/* Create the rings, with the first interface that hands off. */
static int begin_handoff(struct ws_router *router)
{
	int error = make_rings(router);
	if (!error)
		error = router_remake_graphs(router);
	if (error)
		handoff_close(router);
	return error;
}

static int check_handoff(struct ws_router *router, uint16_t index, const uint16_t *workers,
						 uint16_t count)
{
	int error = router_check_interface(router, index);
	if (error)
		return error;
	if (index >= WS_MAX_PORTS)
		return fail(-EINVAL, "interface %s has no queues of its own; name its port",
					interface_name(router, index));
	for (uint16_t i = 0; i < count; i++)
		if (workers[i] >= router->worker_count)
			return fail(-ENOENT, "there is no worker %u; there are %u", workers[i],
						router->worker_count);
	return count <= WS_MAX_WORKERS
			   ? 0
			   : fail(-EINVAL, "%u workers named; there are %u", count, router->worker_count);
}

int ws_router_set_handoff(struct ws_router *router, uint16_t index, const uint16_t *workers,
						  uint16_t count, bool is_symmetrical)
{
	int error = check_handoff(router, index, workers, count);
	if (!error && count && !router->handoff_rings[0])
		error = begin_handoff(router);
	router_pause(router);
	if (!error) {
		struct handoff *handoff = &router->handoffs[index];
		handoff->count = count;
		handoff->is_symmetrical = is_symmetrical;
		for (uint16_t i = 0; i < count; i++)
			handoff->workers[i] = (uint8_t)workers[i];
		router_place_queues(router);
	}
	router_resume(router);
	return error;
}

int ws_router_handoff(struct ws_router *router, uint16_t index, uint16_t *workers, uint16_t max)
{
	if (check_handoff(router, index, NULL, 0))
		return -ENODEV;
	const struct handoff *handoff = &router->handoffs[index];
	for (uint16_t i = 0; i < handoff->count && i < max; i++)
		workers[i] = handoff->workers[i];
	return handoff->count;
}

ROUTER_MODULE(handoff_module, .name = "handoff", .is_trunk = true, .close = handoff_close)
