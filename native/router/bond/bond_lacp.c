/* SPDX-License-Identifier: Apache-2.0 */
/* LACP of all bonds: PDUs that workers received, timers, and PDUs to send. Main thread. */
#include "router/bond/bond.h"
#include "router/interface/interface_settings.h"
#include "router/packet/metadata.h"
#include "router/worker/main_input.h"
#include "wire/ethernet.h"

#include <rte_cycles.h>
#include <rte_ring_elem.h>
#include <string.h>

enum { SYSTEM_PRIORITY = 0xffff, PORT_PRIORITY = 0xff, KEYS = 0xffff };

static uint64_t now_ms(const struct ws_router *router)
{
	return rte_rdtsc() / (router->tsc_hz / 1000);
}

bool bond_hear(const struct ws_router *router, const struct bond_heard *heard)
{
	return !rte_ring_mp_enqueue_elem(bond_state(router)->heard, (void *)(uintptr_t)heard,
									 sizeof(*heard));
}

/* A key must be at least 1. */
void bond_lacp_begin(struct ws_router *router, struct bond *bond, struct bond_member *member)
{
	struct lacp_party actor = {
		.system_priority = SYSTEM_PRIORITY,
		.key = (uint16_t)(bond->given.id % KEYS + 1),
		.port_priority = PORT_PRIORITY,
		.port = member->number,
	};
	memcpy(actor.system, router->interfaces[bond->interface].mac, sizeof(actor.system));
	lacp_begin(&member->lacp, &actor, &member->choices);
}

static void send_pdu(struct ws_router *router, uint16_t port, const struct lacp_pdu *pdu)
{
	struct rte_mbuf *packet = main_packet(port, LACP_LEN);
	if (!packet)
		return;
	lacp_write(packet_data(packet), pdu);
	main_send(router, packet, slow_protocols_mac, ETHERNET_SLOW);
}

static void run(struct ws_router *router, struct bond *bond, uint64_t now)
{
	struct lacp_port *ports[WS_MAX_PORTS];
	struct lacp_pdu pdu;
	for (uint16_t i = 0; i < bond->member_count; i++) {
		ports[i] = &bond->members[i].lacp;
		lacp_enable(ports[i], router->interfaces[bond->members[i].port].usable, now);
	}
	lacp_run(ports, bond->member_count, now);
	bond_refresh(router, bond);
	bond_gauges_write(router, bond);
	for (uint16_t i = 0; i < bond->member_count; i++)
		if (lacp_next_pdu(ports[i], now, &pdu))
			send_pdu(router, bond->members[i].port, &pdu);
}

/* Process received PDUs, then timers. */
static void bonds_run(struct ws_router *router)
{
	struct bond_state *state = bond_state(router);
	struct bond_heard heard;
	if (!state)
		return;
	uint64_t now = now_ms(router);
	while (!rte_ring_sc_dequeue_elem(state->heard, &heard, sizeof(heard))) {
		struct bond *bond = state->by_interface[router->settings[heard.port].bond];
		struct bond_member *member = bond ? bond_find_member(bond, (uint16_t)heard.port) : NULL;
		if (!member || bond->mode != WS_BOND_LACP)
			continue;
		/* The link over which the PDU came may be new. */
		lacp_enable(&member->lacp, router->interfaces[heard.port].usable, now);
		lacp_receive(&member->lacp, &heard.pdu, now);
		run(router, bond, now);
	}
	for (struct bond *bond = state->first; bond; bond = bond->next)
		if (bond->mode == WS_BOND_LACP)
			run(router, bond, now);
}

ROUTER_MODULE(lacp_module, .name = "lacp", .after = {"bond"}, .poll = bonds_run)
