/* SPDX-License-Identifier: Apache-2.0 */
/* Which worker polls which RX queue, and whether it has to poll at all. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/tap.h"
#include "router/router.h"

#include <errno.h>

static int check_queue(const struct ws_router *router, uint16_t index, uint16_t queue)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	uint16_t queues = index < WS_MAX_PORTS ? port_rx_queues(index) : 0;
	return queue < queues ? 0
						  : fail(-ENOENT, "interface %s has no RX queue %u; it has %u",
								 interface_name(router, index), queue, queues);
}

/* The queues, with one of their settings changed. */
static void place_again(struct ws_router *router, uint8_t *setting, uint8_t value)
{
	router_pause(router);
	*setting = value;
	router_place_queues(router);
	router_resume(router);
}

int ws_router_set_placement(struct ws_router *router, uint16_t index, uint16_t queue,
							uint16_t worker)
{
	if (check_queue(router, index, queue))
		return -ENODEV;
	if (worker >= router->worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker, router->worker_count);
	place_again(router, &router->placement[index][queue], (uint8_t)worker);
	return 0;
}

int ws_router_placement(struct ws_router *router, uint16_t index, uint16_t queue)
{
	return check_queue(router, index, queue) ? -ENODEV : router->placement[index][queue];
}

/* What comes from Linux is little, and does not keep a worker awake. */
uint8_t router_default_rx_mode(uint16_t port)
{
	return tap_is_open(port) ? WS_RX_ADAPTIVE : WS_RX_POLLING;
}

int ws_router_set_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue, int32_t mode)
{
	if (check_queue(router, index, queue))
		return -ENODEV;
	if (mode < WS_RX_POLLING || mode > WS_RX_ADAPTIVE)
		return fail(-EINVAL, "there is no RX mode %d", mode);
	place_again(router, &router->rx_modes[index][queue], (uint8_t)mode);
	return 0;
}

int ws_router_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue)
{
	return check_queue(router, index, queue) ? -ENODEV : router->rx_modes[index][queue];
}

/* A worker that has one queue to poll cannot rest; one that has none need not run at all. */
static enum rest_mode rest_mode_with(enum rest_mode before, uint8_t rx_mode)
{
	enum rest_mode mode = rx_mode == WS_RX_POLLING    ? REST_NEVER
						  : rx_mode == WS_RX_ADAPTIVE ? REST_WHEN_IDLE
													  : REST_AT_ONCE;
	return RTE_MIN(before, mode);
}

static void place(struct ws_router *router, uint16_t port, uint16_t queue)
{
	struct router_worker *worker = router->workers[router->placement[port][queue]];
	const struct handoff *handoff = &router->handoffs[port];
	uint8_t rx_mode = router->rx_modes[port][queue];
	worker->queues[worker->queue_count++] = (struct rx_queue){port, queue, handoff->count > 0};
	worker->rest.mode = rest_mode_with(worker->rest.mode, rx_mode);
	for (uint16_t i = 0; i < handoff->count; i++) {
		struct rest *rest = &router->workers[handoff->workers[i]]->rest;
		rest->mode = rest_mode_with(rest->mode, rx_mode);
		rest->is_handed = true;
	}
}

void router_place_queues(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++) {
		rest_close(router->workers[i]);
		router->workers[i]->queue_count = 0;
		router->workers[i]->rest.mode = REST_AT_ONCE;
		router->workers[i]->rest.is_handed = false;
	}
	for (uint16_t port = 0; port < ports_count(); port++)
		for (uint16_t queue = 0; *interface_name(router, port) && queue < port_rx_queues(port);
			 queue++)
			place(router, port, queue);
	for (uint16_t i = 0; i < router->worker_count; i++)
		rest_prepare(router, i);
}
