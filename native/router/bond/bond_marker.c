/* SPDX-License-Identifier: Apache-2.0 */
/* Markers: the other end replies to a marker once it has received all packets sent before it. Main
 * thread. */
#include "dev/port.h"
#include "router/bond/bond.h"
#include "router/packet/output.h"
#include "router/worker/call.h"
#include "router/worker/main_input.h"
#include "wire/ethernet.h"
#include "wire/own_count.h"

#include <rte_cycles.h>

enum { MOST_WAIT_MS = 100 };

static bool loses(const struct bond_spread *before, const struct bond_spread *after, uint16_t port)
{
	for (uint16_t i = 0; before->count && i < (uint16_t)BOND_BUCKETS; i++)
		if (before->buckets[i] == port && after->buckets[i] != port)
			return true;
	return false;
}

/* Markers by the worker that sends them, and the ports on which they are sent. */
struct questions {
	uint16_t count[WS_MAX_WORKERS];
	uint16_t ports[WS_MAX_WORKERS][WS_MAX_PORTS];
	struct rte_mbuf *packets[WS_MAX_WORKERS][WS_MAX_PORTS];
};

/* On the worker: they follow the packets that it has sent. */
static void send_questions(struct ws_router *router, uint16_t index, void *argument)
{
	const struct questions *questions = argument;
	struct router_worker *worker = router->workers[index];
	for (uint16_t i = 0; i < questions->count[index]; i++) {
		recirculate_put(&worker->recirculate, questions->packets[index][i],
						RECIRCULATE_OUTPUT + questions->ports[index][i]);
		own_count_add(&worker->totals->made, 1);
	}
}

/* Send a marker in each TX queue of the port: all workers that share the queue have sent their
 * packets by now. */
static void ask_by_port(const struct ws_router *router, const struct bond_member *member,
						uint32_t number, struct questions *questions)
{
	for (uint16_t i = 0; i < router->worker_count; i++) {
		bool has_queue = port_tx_of(member->port, i).queue == i;
		struct rte_mbuf *packet = has_queue ? main_packet(member->port, LACP_LEN) : NULL;
		if (!packet)
			continue;
		marker_write(packet_data(packet), &member->lacp.actor, number);
		uint16_t at = questions->count[i]++;
		questions->packets[i][at] = packet;
		questions->ports[i][at] =
			packet_frame(router, packet, member->port, slow_protocols_mac, ETHERNET_SLOW);
	}
}

void bond_ask(struct ws_router *router, struct bond *bond, const struct bond_spread *before,
			  const struct bond_spread *after)
{
	struct bond_state *state = bond_state(router);
	struct questions questions = {0};
	uint32_t asked = 0, number = state->question + 1;
	__atomic_store_n(&state->answers, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&state->question, number, __ATOMIC_RELEASE);
	for (uint16_t i = 0; i < bond->member_count; i++)
		if (loses(before, after, bond->members[i].port) &&
			bond_can_send(router, bond, bond->members[i].port))
			ask_by_port(router, &bond->members[i], number, &questions);
	for (uint16_t i = 0; i < router->worker_count; i++)
		asked += questions.count[i];
	if (!asked)
		return;
	workers_call(router, send_questions, &questions);
	uint64_t end = rte_rdtsc() + router->tsc_hz / 1000 * MOST_WAIT_MS;
	while (__atomic_load_n(&state->answers, __ATOMIC_ACQUIRE) < asked && rte_rdtsc() < end)
		rte_delay_us_sleep(50);
}
