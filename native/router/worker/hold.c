/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/hold.h"

#include "dev/pool.h"
#include "router/fib/fib_lookup_ip4.h"
#include "router/fib/fib_lookup_ip6.h"
#include "router/observe/trace.h"
#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/own_count.h"

enum {
	ASK_AGAIN_S = 1, /* RFC 4861 section 10: RETRANS_TIMER … */
	GIVE_UP_S = 3,   /* … and MAX_MULTICAST_SOLICIT of them */
	LOOKS_A_SECOND = 1000,
};

static struct rte_mbuf *copy_of(const struct rte_mbuf *packet)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(packet, ports_pool(), 0, UINT32_MAX);
	if (!copy)
		return NULL;
	/* The received Ethernet header comes along: an ICMP error may be sent back to its source. */
	uint16_t header = RTE_MIN(packet->data_off, (uint16_t)ETHERNET_MAX_LEN);
	memcpy(packet_data(copy) - header, packet_data(packet) - header, header);
	trace_moved(copy, copy->data_off - packet->data_off);
	return copy;
}

static bool is_same(const struct held_hop *hop, const struct held_for *to)
{
	return hop->since_tsc && hop->to.key == to->key && hop->to.generation == to->generation;
}

/* Two next hops may have the same place; the second one gets the place next to it. */
static struct held_hop *place_of(struct hold *hold, const struct held_for *to)
{
	struct held_hop *first = &hold->hops[to->key % HOLD_HOPS];
	struct held_hop *second = &hold->hops[(to->key % HOLD_HOPS) ^ 1];
	bool is_taken = !is_same(first, to) && (first->count || first->is_asking);
	return is_taken || is_same(second, to) ? second : first;
}

static void count_held(struct hold *hold, int more)
{
	__atomic_store_n(&hold->count, hold->count + (uint32_t)more, __ATOMIC_RELAXED);
}

enum held hold_packet(struct router_worker *worker, const struct rte_mbuf *packet,
					  const struct held_for *to, uint64_t now)
{
	struct hold *hold = &worker->hold;
	struct held_hop *hop = place_of(hold, to);
	bool is_again = is_same(hop, to) && hop->is_asking &&
					now - hop->asked_tsc < ASK_AGAIN_S * worker->glean.tsc_hz;
	if (hop->count == HOLD_PACKETS || (hop->count && !is_same(hop, to)) ||
		!adjacency_lives(to->generation))
		return HELD_NOT;
	struct rte_mbuf *copy = copy_of(packet);
	if (!copy)
		return HELD_NOT;
	/* If the only held packet is being used for a request, keep the original deadline. */
	if (!hop->count && !is_again)
		*hop = (struct held_hop){.to = *to, .since_tsc = now, .asked_tsc = now};
	hop->is_asking = false;
	hop->packets[hop->count++] = copy;
	count_held(hold, 1);
	return is_again ? HELD_AGAIN : HELD_FROM_NOW_ON;
}

/* ---- End of the wait ---- */

static bool is_ip4(const struct held_hop *hop)
{
	return hop->to.next_hop.family == WS_IP4;
}

static bool is_on_route(const struct held_hop *hop)
{
	return hop->to.adjacency >= ADJACENCY_FIRST_NEIGHBOR;
}

/* The current adjacency of a host of a connected subnet, according to its route. */
static uint32_t look_up_host(const struct ws_router *router, const struct held_hop *hop)
{
	const struct ws_address *host = &hop->to.next_hop;
	int family = family_index(host->family);
	uint16_t index = interface_table(&router->interfaces[hop->to.interface], family);
	const struct fib_table *table =
		__atomic_load_n(&router->tables[family][index], __ATOMIC_ACQUIRE);
	uint32_t value = 0, address;
	const uint8_t *bytes = host->bytes;
	if (table && is_ip4(hop)) {
		address = address_ip4(host);
		fib_trie_lookup_bulk_ip4(&table->trie, &address, &value, 1);
	} else if (table) {
		fib_trie_lookup_bulk(&table->trie, &bytes, &value, 1);
	}
	return __atomic_load_n(&router->load_balances.balances[value].adjacency, __ATOMIC_ACQUIRE);
}

/* True if the adjacency is that of the held next hop. */
static bool leads_to(const struct ws_router *router, const struct held_hop *hop, uint32_t index)
{
	const struct adjacency_table *table = &router->adjacencies;
	return index >= ADJACENCY_FIRST_NEIGHBOR &&
		   table->adjacencies[index].tx_interface == hop->to.interface &&
		   address_equal(&table->neighbors[index].next_hop, &hop->to.next_hop);
}

/* The adjacency to send through; ADJACENCY_NONE: none yet. */
static int64_t find_way(const struct ws_router *router, const struct held_hop *hop)
{
	uint32_t index = is_on_route(hop) ? hop->to.adjacency : look_up_host(router, hop);
	uint8_t kind = adjacency_kind(&router->adjacencies.adjacencies[index]);
	if (kind != ADJACENCY_REWRITE || (!is_on_route(hop) && !leads_to(router, hop, index)))
		return ADJACENCY_NONE;
	return index;
}

/* The adjacency was deleted, and its index may have been used again. */
static bool is_gone(const struct ws_router *router, const struct held_hop *hop)
{
	return is_on_route(hop) &&
		   adjacency_generation(&router->adjacencies, hop->to.adjacency) != hop->to.generation;
}

static struct rte_mbuf *take_first(struct hold *hold, struct held_hop *hop)
{
	struct rte_mbuf *packet = hop->packets[0];
	count_held(hold, -1);
	hop->count--;
	memmove(hop->packets, hop->packets + 1, hop->count * sizeof(hop->packets[0]));
	return packet;
}

static void send_all(struct router_worker *worker, struct held_hop *hop, uint32_t adjacency)
{
	uint32_t target = is_ip4(hop) ? RECIRCULATE_IP4_REWRITE : RECIRCULATE_IP6_REWRITE;
	worker->hold.sent += hop->count;
	while (hop->count) {
		struct rte_mbuf *packet = take_first(&worker->hold, hop);
		packet_set_adjacency(packet, adjacency);
		recirculate_put(&worker->recirculate, packet, target);
	}
	hop->since_tsc = 0;
}

static void give_up(struct router_worker *worker, struct held_hop *hop)
{
	worker->hold.unanswered += hop->count;
	while (hop->count) {
		struct rte_mbuf *packet = take_first(&worker->hold, hop);
		if (is_ip4(hop))
			packet_set_icmp_error(packet, ICMP4_UNREACHABLE, ICMP4_HOST_UNREACHABLE, 0);
		else
			packet_set_icmp_error(packet, ICMP6_UNREACHABLE, ICMP6_ADDRESS_UNREACHABLE, 0);
		recirculate_put(&worker->recirculate, packet,
						is_ip4(hop) ? RECIRCULATE_IP4_ICMP_ERROR : RECIRCULATE_IP6_ICMP_ERROR);
	}
	hop->since_tsc = 0;
}

/* The node that sends requests turns the last packet into one, and holds a copy of it instead. */
static void ask_again(struct router_worker *worker, struct held_hop *hop, uint64_t now)
{
	uint32_t target = is_ip4(hop)        ? RECIRCULATE_IP4_ARP
					  : is_on_route(hop) ? RECIRCULATE_IP6_DISCOVER_NEIGHBOR
										 : RECIRCULATE_IP6_GLEAN;
	hop->asked_tsc = now;
	hop->is_asking = true;
	count_held(&worker->hold, -1);
	recirculate_put(&worker->recirculate, hop->packets[--hop->count], target);
}

static void look_after(struct ws_router *router, struct router_worker *worker, struct held_hop *hop,
					   uint64_t now)
{
	if (is_gone(router, hop)) {
		give_up(worker, hop);
		return;
	}
	hop->is_asking = false;
	int64_t adjacency = find_way(router, hop);
	if (adjacency != ADJACENCY_NONE)
		send_all(worker, hop, (uint32_t)adjacency);
	else if (now - hop->since_tsc > GIVE_UP_S * router->tsc_hz)
		give_up(worker, hop);
	else if (now - hop->asked_tsc > ASK_AGAIN_S * router->tsc_hz)
		ask_again(worker, hop, now);
}

void hold_look(struct ws_router *router, struct router_worker *worker, uint64_t now)
{
	struct hold *hold = &worker->hold;
	uint32_t settled = __atomic_load_n(&router->neighbors_settled, __ATOMIC_ACQUIRE);
	if (settled == hold->settled && now - hold->looked_tsc < router->tsc_hz / LOOKS_A_SECOND)
		return;
	hold->looked_tsc = now;
	hold->settled = settled;
	for (uint32_t i = 0; i < HOLD_HOPS; i++)
		if (hold->hops[i].count && recirculate_free(&worker->recirculate) >= HOLD_PACKETS)
			look_after(router, worker, &hold->hops[i], now);
}

bool hold_is_used(const struct ws_router *router)
{
	uint32_t count = 0;
	for (uint16_t i = 0; i < router->worker_count; i++)
		count += __atomic_load_n(&router->workers[i]->hold.count, __ATOMIC_RELAXED);
	return count;
}

/* ---- For the main thread, while the worker does not walk ---- */

static void drop_all(struct router_worker *worker, struct held_hop *hop)
{
	while (hop->count) {
		rte_pktmbuf_free(take_first(&worker->hold, hop));
		own_count_add(&worker->totals->drops, 1);
	}
	hop->since_tsc = 0;
}

void hold_forget(struct router_worker *worker, uint16_t interface)
{
	for (uint32_t i = 0; i < HOLD_HOPS; i++) {
		struct held_hop *hop = &worker->hold.hops[i];
		bool is_concerned = hop->to.interface == interface;
		for (uint8_t k = 0; k < hop->count; k++)
			is_concerned |= hop->packets[k]->port == interface;
		if (is_concerned)
			drop_all(worker, hop);
	}
}

void hold_close(struct router_worker *worker)
{
	for (uint32_t i = 0; i < HOLD_HOPS; i++)
		drop_all(worker, &worker->hold.hops[i]);
}
