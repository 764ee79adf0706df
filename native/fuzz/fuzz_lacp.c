/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LACP of three ports of one bond, for arbitrary behaviour of the other ends. The input consists of
 * steps of 8 bytes: the port and the kind of event (byte 0 modulo 4: only time, the link changes, a
 * PDU, a PDU that knows this port); time that has passed, in 100 ms; then of the PDU: the sender's
 * system, key, port and state, this port as it has it, and this port's state.
 */
#include "fuzz/fuzz.h"
#include "router/bond/lacp.h"

enum { PORTS = 3, STEP = 8, KINDS = 4, TICK_MS = 100 };
enum kind { TIME_PASSES, LINK_CHANGES, PDU, PDU_THAT_KNOWS };

static const struct lacp_party us = {
	.system_priority = 0xffff, .key = 1, .port_priority = 0xff, .system = {2, 0xfe, 0, 0, 0, 1}};

static struct lacp_pdu make_pdu(const struct lacp_port *port, const uint8_t *step)
{
	struct lacp_pdu pdu = {
		.actor = {.system_priority = 0x8000,
				  .system = {2, 0, 0, 0, 0, step[2]},
				  .key = step[3],
				  .port = step[4],
				  .state = step[5]},
		.partner = us,
	};
	/* Sometimes its own PDU comes back. */
	if (step[2] == 0xff)
		pdu.actor = port->actor;
	pdu.partner.port = step[6];
	pdu.partner.state = step[7];
	if (step[0] % KINDS == PDU_THAT_KNOWS)
		pdu.partner = port->actor;
	return pdu;
}

static bool says(const struct lacp_port *port, uint8_t bits)
{
	return (port->actor.state & bits) == bits;
}

/* The state that a port announces is its real one, and without an agreeing partner it does nothing.
 */
static void check_port(const struct lacp_port *port)
{
	FUZZ_ASSERT(says(port, LACP_IN_SYNC) == (port->mux >= LACP_MUX_ATTACHED));
	FUZZ_ASSERT(says(port, LACP_COLLECTS) == (port->mux >= LACP_MUX_COLLECTING));
	FUZZ_ASSERT(says(port, LACP_DISTRIBUTES) == (port->mux == LACP_MUX_DISTRIBUTING));
	FUZZ_ASSERT(says(port, LACP_EXPIRED) == (port->receive == LACP_RX_EXPIRED));
	if (port->mux >= LACP_MUX_COLLECTING)
		FUZZ_ASSERT(port->is_enabled && port->is_selected && port->partner.state & LACP_IN_SYNC);
	if (port->mux == LACP_MUX_DISTRIBUTING)
		FUZZ_ASSERT(port->partner.state & LACP_COLLECTS);
	if (port->is_selected)
		FUZZ_ASSERT(port->is_enabled && !says(port, LACP_DEFAULTED));
}

/* All aggregated ports have one partner. */
static void check_bond(struct lacp_port *const *ports)
{
	const struct lacp_port *first = NULL;
	for (int i = 0; i < PORTS; i++) {
		check_port(ports[i]);
		if (!ports[i]->is_selected)
			continue;
		if (first)
			FUZZ_ASSERT(ports[i]->partner.key == first->partner.key &&
						!memcmp(ports[i]->partner.system, first->partner.system,
								sizeof(first->partner.system)));
		first = ports[i];
	}
}

/* The number of PDUs is limited, and they have the port's state. */
static void check_says(struct lacp_port *port, uint64_t now)
{
	struct lacp_pdu pdu;
	int count = 0;
	for (; lacp_next_pdu(port, now, &pdu); count++)
		FUZZ_ASSERT(pdu.actor.state == port->actor.state && pdu.actor.port == port->actor.port);
	FUZZ_ASSERT(count <= 1 && (!count || port->is_enabled));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lacp_port memory[PORTS], *ports[PORTS];
	uint64_t now = 1;
	for (int i = 0; i < PORTS; i++) {
		struct lacp_party actor = us;
		struct lacp_choices choices = {.is_passive = i == 1, .is_long_timeout = i == 2};
		actor.port = (uint16_t)(i + 1);
		ports[i] = &memory[i];
		lacp_begin(ports[i], &actor, &choices);
		lacp_enable(ports[i], true, now);
	}
	for (; size >= STEP; data += STEP, size -= STEP) {
		struct lacp_port *port = ports[data[0] / KINDS % PORTS];
		enum kind kind = data[0] % KINDS;
		now += (uint64_t)data[1] * TICK_MS;
		lacp_run(ports, PORTS, now);
		if (kind == LINK_CHANGES)
			lacp_enable(port, !port->is_enabled, now);
		if (kind >= PDU) {
			struct lacp_pdu pdu = make_pdu(port, data);
			FUZZ_ASSERT(lacp_receive(port, &pdu, now) == (port->is_enabled && data[2] != 0xff));
		}
		lacp_run(ports, PORTS, now);
		check_bond(ports);
		for (int i = 0; i < PORTS; i++)
			check_says(ports[i], now);
	}
	return 0;
}
