/* SPDX-License-Identifier: Apache-2.0 */
#include "router/bond/lacp.h"

#include <string.h>

/* State bits of a port that both sides must agree on, besides its identity. */
enum { STATE_TO_KNOW = LACP_ACTIVE | LACP_SHORT_TIMEOUT | LACP_IN_SYNC | LACP_AGGREGATES };

static bool same_system(const struct lacp_party *one, const struct lacp_party *other)
{
	return one->system_priority == other->system_priority && one->key == other->key &&
		   !memcmp(one->system, other->system, sizeof(one->system));
}

static bool same_port(const struct lacp_party *one, const struct lacp_party *other)
{
	return same_system(one, other) && one->port_priority == other->port_priority &&
		   one->port == other->port;
}

static bool differ(const struct lacp_party *one, const struct lacp_party *other, uint8_t bits)
{
	return (one->state ^ other->state) & bits;
}

static void set_actor(struct lacp_port *port, uint8_t bits, bool on)
{
	port->actor.state = (uint8_t)(on ? port->actor.state | bits : port->actor.state & ~bits);
}

void lacp_begin(struct lacp_port *port, const struct lacp_party *actor,
				const struct lacp_choices *choices)
{
	*port = (struct lacp_port){.actor = *actor};
	port->actor.state = LACP_AGGREGATES | LACP_DEFAULTED;
	set_actor(port, LACP_ACTIVE, !choices->is_passive);
	set_actor(port, LACP_SHORT_TIMEOUT, !choices->is_long_timeout);
}

/* ---- Receive machine ---- */

static void expire(struct lacp_port *port, uint64_t now_ms)
{
	port->receive = LACP_RX_EXPIRED;
	port->partner.state &= (uint8_t)~LACP_IN_SYNC;
	/* The partner is requested to send soon. */
	port->partner.state |= LACP_SHORT_TIMEOUT;
	port->current_until = now_ms + LACP_SHORT_MS;
	set_actor(port, LACP_EXPIRED, true);
}

static void take_default(struct lacp_port *port)
{
	port->receive = LACP_RX_DEFAULTED;
	port->partner = (struct lacp_party){.state = LACP_SHORT_TIMEOUT};
	set_actor(port, LACP_EXPIRED, false);
	set_actor(port, LACP_DEFAULTED, true);
}

void lacp_enable(struct lacp_port *port, bool is_enabled, uint64_t now_ms)
{
	if (is_enabled == port->is_enabled)
		return;
	port->is_enabled = is_enabled;
	if (is_enabled) {
		expire(port, now_ms);
		return;
	}
	port->receive = LACP_RX_DISABLED;
	port->partner.state &= (uint8_t)~LACP_IN_SYNC;
	set_actor(port, LACP_EXPIRED, false);
}

/* True if the partner keeps this port in sync, and LACP is active on one side. */
static bool partner_is_in_sync(const struct lacp_port *port, const struct lacp_pdu *pdu)
{
	bool knows_us = same_port(&pdu->partner, &port->actor) &&
					!differ(&pdu->partner, &port->actor, LACP_AGGREGATES);
	bool goes_on = pdu->actor.state & LACP_ACTIVE ||
				   (port->actor.state & LACP_ACTIVE && pdu->partner.state & LACP_ACTIVE);
	return pdu->actor.state & LACP_IN_SYNC && goes_on &&
		   (knows_us || !(pdu->actor.state & LACP_AGGREGATES));
}

bool lacp_receive(struct lacp_port *port, const struct lacp_pdu *pdu, uint64_t now_ms)
{
	if (!port->is_enabled ||
		!memcmp(pdu->actor.system, port->actor.system, sizeof(pdu->actor.system)))
		return false;
	port->received++;
	if (!same_port(&pdu->actor, &port->partner) ||
		differ(&pdu->actor, &port->partner, LACP_AGGREGATES))
		port->is_selected = false;
	if (!same_port(&pdu->partner, &port->actor) ||
		differ(&pdu->partner, &port->actor, STATE_TO_KNOW))
		port->needs_to_say = true;
	port->partner = pdu->actor;
	port->partner.state &= (uint8_t)~LACP_IN_SYNC;
	if (partner_is_in_sync(port, pdu))
		port->partner.state |= LACP_IN_SYNC;
	port->receive = LACP_RX_CURRENT;
	set_actor(port, LACP_EXPIRED | LACP_DEFAULTED, false);
	port->current_until =
		now_ms + (port->actor.state & LACP_SHORT_TIMEOUT ? LACP_SHORT_MS : LACP_LONG_MS);
	return true;
}

static void run_receive(struct lacp_port *port, uint64_t now_ms)
{
	if (now_ms < port->current_until)
		return;
	if (port->receive == LACP_RX_CURRENT)
		expire(port, now_ms);
	else if (port->receive == LACP_RX_EXPIRED)
		take_default(port);
}

/* ---- Periodic machine ---- */

static void run_periodic(struct lacp_port *port, uint64_t now_ms)
{
	bool somebody_is_active = (port->actor.state | port->partner.state) & LACP_ACTIVE;
	enum lacp_periodic_state wanted = !port->is_enabled || !somebody_is_active ? LACP_PERIODIC_NONE
									  : port->partner.state & LACP_SHORT_TIMEOUT
										  ? LACP_PERIODIC_FAST
										  : LACP_PERIODIC_SLOW;
	enum lacp_periodic_state before = port->periodic;
	port->periodic = wanted;
	if (wanted == LACP_PERIODIC_NONE || (wanted == before && now_ms < port->next_periodic))
		return;
	/* No PDU is needed at once if the partner changes to the slow rate. */
	if (before != LACP_PERIODIC_FAST || wanted == before)
		port->needs_to_say = true;
	port->next_periodic = now_ms + (wanted == LACP_PERIODIC_FAST ? LACP_FAST_MS : LACP_SLOW_MS);
}

/* ---- Selection: one aggregator per bond ---- */

static bool may_aggregate(const struct lacp_port *port)
{
	return port->is_enabled && !(port->actor.state & LACP_DEFAULTED) &&
		   port->partner.state & LACP_AGGREGATES;
}

static uint16_t count_alike(struct lacp_port *const *ports, uint16_t count,
							const struct lacp_port *with, bool selected_only)
{
	uint16_t alike = 0;
	for (uint16_t i = 0; i < count; i++)
		alike += may_aggregate(ports[i]) && (!selected_only || ports[i]->is_selected) &&
				 same_system(&ports[i]->partner, &with->partner);
	return alike;
}

/* The ports of one partner aggregate: the partner of those that aggregate already, if any,
 * otherwise the partner of most ports, the first of equals. NULL: none. */
static const struct lacp_port *choose(struct lacp_port *const *ports, uint16_t count)
{
	const struct lacp_port *best = NULL;
	uint32_t best_score = 0;
	for (uint16_t i = 0; i < count; i++) {
		if (!may_aggregate(ports[i]))
			continue;
		uint32_t score = (uint32_t)count_alike(ports, count, ports[i], true) << 16 |
						 count_alike(ports, count, ports[i], false);
		if (score > best_score) {
			best = ports[i];
			best_score = score;
		}
	}
	return best;
}

static void run_selection(struct lacp_port *const *ports, uint16_t count)
{
	const struct lacp_port *chosen = choose(ports, count);
	struct lacp_party partner = chosen ? chosen->partner : (struct lacp_party){0};
	for (uint16_t i = 0; i < count; i++)
		ports[i]->is_selected =
			chosen && may_aggregate(ports[i]) && same_system(&ports[i]->partner, &partner);
}

/* ---- Mux machine ---- */

static enum lacp_mux_state next_mux(const struct lacp_port *port, uint64_t now_ms)
{
	bool in_sync = port->partner.state & LACP_IN_SYNC,
		 collects = port->partner.state & LACP_COLLECTS;
	switch (port->mux) {
	case LACP_MUX_DETACHED:
		return port->is_selected ? LACP_MUX_WAITING : LACP_MUX_DETACHED;
	case LACP_MUX_WAITING:
		if (!port->is_selected)
			return LACP_MUX_DETACHED;
		return now_ms >= port->wait_until ? LACP_MUX_ATTACHED : LACP_MUX_WAITING;
	case LACP_MUX_ATTACHED:
		if (!port->is_selected)
			return LACP_MUX_DETACHED;
		return in_sync ? LACP_MUX_COLLECTING : LACP_MUX_ATTACHED;
	case LACP_MUX_COLLECTING:
		if (!port->is_selected || !in_sync)
			return LACP_MUX_ATTACHED;
		return collects ? LACP_MUX_DISTRIBUTING : LACP_MUX_COLLECTING;
	default:
		return port->is_selected && in_sync && collects ? LACP_MUX_DISTRIBUTING
														: LACP_MUX_COLLECTING;
	}
}

static void enter_mux(struct lacp_port *port, enum lacp_mux_state mux, uint64_t now_ms)
{
	port->mux = mux;
	set_actor(port, LACP_IN_SYNC, mux >= LACP_MUX_ATTACHED);
	set_actor(port, LACP_COLLECTS, mux >= LACP_MUX_COLLECTING);
	set_actor(port, LACP_DISTRIBUTES, mux == LACP_MUX_DISTRIBUTING);
	if (mux == LACP_MUX_WAITING)
		port->wait_until = now_ms + LACP_AGGREGATE_WAIT_MS;
	else
		port->needs_to_say = true;
}

/* A deselected port goes through all states back to detached at once. */
static void run_mux(struct lacp_port *port, uint64_t now_ms)
{
	enum lacp_mux_state next;
	while ((next = next_mux(port, now_ms)) != port->mux)
		enter_mux(port, next, now_ms);
}

void lacp_run(struct lacp_port *const *ports, uint16_t count, uint64_t now_ms)
{
	for (uint16_t i = 0; i < count; i++) {
		run_receive(ports[i], now_ms);
		/* A deselected port leaves its aggregator before the next selection. */
		if (!ports[i]->is_selected)
			run_mux(ports[i], now_ms);
	}
	run_selection(ports, count);
	for (uint16_t i = 0; i < count; i++) {
		run_mux(ports[i], now_ms);
		run_periodic(ports[i], now_ms);
	}
}

/* ---- Transmit ---- */

bool lacp_next_pdu(struct lacp_port *port, uint64_t now_ms, struct lacp_pdu *pdu)
{
	if (!port->needs_to_say || port->periodic == LACP_PERIODIC_NONE)
		return false;
	if (now_ms >= port->window_began + LACP_FAST_MS) {
		port->window_began = now_ms;
		port->sent_in_window = 0;
	}
	if (port->sent_in_window == LACP_MOST_PDUS)
		return false;
	port->sent_in_window++;
	port->needs_to_say = false;
	port->sent++;
	*pdu = (struct lacp_pdu){port->actor, port->partner};
	return true;
}
