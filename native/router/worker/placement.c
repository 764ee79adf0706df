/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of RX queues on workers, and queues that need no polling. */
#include "wirespeed/placement.h"
#include "dev/error.h"
#include "dev/medium.h"
#include "dev/port.h"
#include "router/interface/interface_settings.h"
#include "router/module.h"
#include "router/worker/call.h"

#include <errno.h>
#include <string.h>

static int check_queue(const struct ws_router *router, uint16_t index, uint16_t queue)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	uint16_t queues = index < WS_MAX_PORTS ? port_rx_queues(index) : 0;
	return queue < queues ? 0
						  : fail(-ENOENT, "interface %s has no RX queue %u; it has %u",
								 interface_name(router, index), queue, queues);
}

int ws_router_set_placement(struct ws_router *router, uint16_t index, uint16_t queue,
							uint16_t worker)
{
	if (check_queue(router, index, queue))
		return -ENODEV;
	if (worker >= router->worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker, router->worker_count);
	router->placement[index][queue] = (uint8_t)worker;
	router_place_queues(router);
	return 0;
}

int ws_router_placement(struct ws_router *router, uint16_t index, uint16_t queue)
{
	return check_queue(router, index, queue) ? -ENODEV : router->placement[index][queue];
}

/* Ports served by a thread (Linux) have little traffic, which should not keep a worker from
 * sleeping. */
uint8_t router_default_rx_mode(uint16_t port)
{
	return port_rings_bell(port) ? WS_RX_ADAPTIVE : WS_RX_POLLING;
}

int ws_router_set_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue, int32_t mode)
{
	if (check_queue(router, index, queue))
		return -ENODEV;
	if (mode < WS_RX_POLLING || mode > WS_RX_ADAPTIVE)
		return fail(-EINVAL, "RX mode %d does not exist", mode);
	router->rx_modes[index][queue] = (uint8_t)mode;
	router_place_queues(router);
	return 0;
}

int ws_router_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue)
{
	return check_queue(router, index, queue) ? -ENODEV : router->rx_modes[index][queue];
}

/* A worker with a queue in polling mode cannot sleep; one without queues need not run at all. */
static enum rest_mode rest_mode_with(enum rest_mode before, uint8_t rx_mode)
{
	enum rest_mode mode = rx_mode == WS_RX_POLLING    ? REST_NEVER
						  : rx_mode == WS_RX_ADAPTIVE ? REST_WHEN_IDLE
													  : REST_AT_ONCE;
	return RTE_MIN(before, mode);
}

/* Queues for a worker to poll. */
struct plan {
	uint16_t count;
	bool is_handed;
	bool works_in_kernel;
	enum rest_mode mode;
	struct rx_queue queues[WS_MAX_PORTS * WS_MAX_QUEUES];
};

static void plan_queue(const struct ws_router *router, struct plan *plans, uint16_t port,
					   uint16_t queue)
{
	struct plan *plan = &plans[router->placement[port][queue]];
	const struct handoff *handoff = &router->handoffs[port];
	uint8_t rx_mode = router->rx_modes[port][queue];
	plan->queues[plan->count++] = (struct rx_queue){
		.port = port,
		.queue = queue,
		.hands_off = handoff->count > 0,
	};
	plan->mode = rest_mode_with(plan->mode, rx_mode);
	for (uint16_t i = 0; i < handoff->count; i++) {
		struct plan *handed = &plans[handoff->workers[i]];
		handed->mode = rest_mode_with(handed->mode, rx_mode);
		handed->is_handed = true;
	}
}

static bool is_same_queue(const struct rx_queue *one, const struct rx_queue *other)
{
	return one->port == other->port && one->queue == other->queue &&
		   one->hands_off == other->hands_off;
}

static bool has_queue(const struct plan *plan, const struct rx_queue *queue)
{
	uint16_t i = 0;
	while (i < plan->count && !is_same_queue(&plan->queues[i], queue))
		i++;
	return i < plan->count;
}

static bool is_as_planned(const struct router_worker *worker, const struct plan *plan)
{
	bool same = worker->queue_count == plan->count && worker->rest.mode == plan->mode &&
				worker->rest.is_handed == plan->is_handed;
	for (uint16_t i = 0; same && i < plan->count; i++)
		same = is_same_queue(&worker->queues[i], &plan->queues[i]);
	return same;
}

/* On the worker: release queues that other workers are to poll. */
static void leave_queues(struct ws_router *router, uint16_t index, void *argument)
{
	struct router_worker *worker = router->workers[index];
	const struct plan *plan = (const struct plan *)argument + index;
	uint16_t kept = 0;
	if (is_as_planned(worker, plan))
		return;
	rest_close(worker);
	for (uint16_t i = 0; i < worker->queue_count; i++)
		if (has_queue(plan, &worker->queues[i]))
			worker->queues[kept++] = worker->queues[i];
	worker->queue_count = kept;
}

/* On the worker, once no other worker polls them. */
static void take_queues(struct ws_router *router, uint16_t index, void *argument)
{
	struct router_worker *worker = router->workers[index];
	const struct plan *plan = (const struct plan *)argument + index;
	worker->watch.works_in_kernel = plan->works_in_kernel;
	if (worker->rest.epoll >= 0 && is_as_planned(worker, plan))
		return;
	rest_close(worker);
	memcpy(worker->queues, plan->queues, plan->count * sizeof(plan->queues[0]));
	worker->queue_count = plan->count;
	worker->rest.mode = plan->mode;
	worker->rest.is_handed = plan->is_handed;
	rest_prepare(router, index);
}

/* Any worker may send on any port. */
static bool some_port_works_in_kernel(void)
{
	struct ws_port_info info;
	for (uint16_t port = 0; port < ports_count(); port++)
		if (port_is_open(port) && !ws_port_info(port, &info) && medium_works_in_kernel(info.driver))
			return true;
	return false;
}

void router_place_queues(struct ws_router *router)
{
	static struct plan plans[WS_MAX_WORKERS];
	bool works_in_kernel = some_port_works_in_kernel();
	for (uint16_t i = 0; i < router->worker_count; i++) {
		plans[i].mode = REST_AT_ONCE;
		plans[i].is_handed = false;
		plans[i].works_in_kernel = works_in_kernel;
		plans[i].count = 0;
	}
	for (uint16_t port = 0; port < ports_count(); port++)
		for (uint16_t queue = 0; *interface_name(router, port) && queue < port_rx_queues(port);
			 queue++)
			plan_queue(router, plans, port, queue);
	workers_call(router, leave_queues, plans);
	workers_call(router, take_queues, plans);
}

/* Each interface begins with the next worker, so that ports with a single queue are distributed
 * too. */
static int spread_queues(struct ws_router *router)
{
	uint16_t next = 0;
	for (uint16_t port = 0; port < ports_count(); port++)
		for (uint16_t queue = 0; queue < port_rx_queues(port); queue++) {
			router->placement[port][queue] = (uint8_t)(next++ % router->worker_count);
			router->rx_modes[port][queue] = router_default_rx_mode(port);
		}
	return 0;
}

ROUTER_MODULE(placement_module, .name = "placement", .is_trunk = true, .make = spread_queues)
