/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/main_input.h"

#include "dev/bell.h"
#include "dev/error.h"
#include "dev/pool.h"
#include "dev/worker.h"
#include "router/module.h"
#include "router/packet/output.h"

#include <errno.h>
#include <rte_ring.h>

static int main_input_make(struct ws_router *router)
{
	router->main_input = rte_ring_create("main-input", MAIN_INPUT_SLOTS, SOCKET_ID_ANY,
										 RING_F_SP_ENQ | RING_F_SC_DEQ);
	return router->main_input ? 0 : fail(-ENOMEM, "no memory for packets of the main thread");
}

static void main_input_free(struct ws_router *router)
{
	void *packet;
	while (router->main_input && !rte_ring_sc_dequeue(router->main_input, &packet))
		rte_pktmbuf_free(packet);
	rte_ring_free(router->main_input);
}

struct rte_mbuf *main_packet(uint16_t interface, uint16_t length)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
	if (!packet)
		return NULL;
	if (!rte_pktmbuf_append(packet, length)) {
		rte_pktmbuf_free(packet);
		return NULL;
	}
	/* The packet was not received: the received Ethernet header, which nodes may read, is all
	 * zeros. */
	memset(packet_data(packet) - ETHERNET_LEN, 0, ETHERNET_LEN);
	packet->port = interface;
	return packet;
}

bool main_route(struct ws_router *router, struct rte_mbuf *packet, enum main_edge edge)
{
	packet_set_main_edge(packet, (uint16_t)edge);
	if (!rte_ring_sp_enqueue(router->main_input, packet)) {
		bell_ring(worker_bell(0));
		return true;
	}
	rte_pktmbuf_free(packet);
	return false;
}

bool main_send(struct ws_router *router, struct rte_mbuf *packet, const uint8_t *mac, uint16_t type)
{
	uint16_t output = packet_frame(router, packet, packet->port, mac, (enum ethernet_type)type);
	return main_route(router, packet, MAIN_OUTPUT + output);
}

ROUTER_MODULE(main_input_module, .name = "main-input", .is_trunk = true, .make = main_input_make,
			  .free = main_input_free)
