/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LACP of one port (IEEE 802.1AX-2008 clause 5.4): receive, periodic and mux machine, with
 * independent control of collecting and distributing; and the selection among the ports of a bond.
 * Pure functions: the caller passes the time, in milliseconds of a monotonic clock, and asks for
 * PDUs to send. Nothing here needs DPDK.
 */
#pragma once

#include "wire/lacp.h"

enum {
	LACP_FAST_MS = 1000,
	LACP_SLOW_MS = 30000,
	LACP_SHORT_MS = 3 * LACP_FAST_MS,
	LACP_LONG_MS = 3 * LACP_SLOW_MS,
	LACP_AGGREGATE_WAIT_MS = 2000,
	LACP_MOST_PDUS = 3, /* within LACP_FAST_MS */
};

enum lacp_receive_state {
	LACP_RX_DISABLED,
	LACP_RX_EXPIRED,
	LACP_RX_DEFAULTED,
	LACP_RX_CURRENT,
};
enum lacp_periodic_state { LACP_PERIODIC_NONE, LACP_PERIODIC_FAST, LACP_PERIODIC_SLOW };
enum lacp_mux_state {
	LACP_MUX_DETACHED,
	LACP_MUX_WAITING,
	LACP_MUX_ATTACHED,
	LACP_MUX_COLLECTING,
	LACP_MUX_DISTRIBUTING,
};

struct lacp_port {
	struct lacp_party actor, partner;
	enum lacp_receive_state receive;
	enum lacp_periodic_state periodic;
	enum lacp_mux_state mux;
	bool is_enabled;   /* the port has a link */
	bool is_selected;  /* the port aggregates in its bond */
	bool needs_to_say; /* the partner does not know the current state */
	uint64_t current_until, wait_until, next_periodic;
	uint64_t window_began; /* start of the LACP_FAST_MS in which sent PDUs are counted */
	uint32_t sent_in_window;
	uint64_t received, sent;
};

struct lacp_choices {
	bool is_passive;      /* sends nothing before the partner does */
	bool is_long_timeout; /* requests a PDU every 30 s, not every second */
};

/* `actor` without its state, which follows from the settings. */
void lacp_begin(struct lacp_port *port, const struct lacp_party *actor,
				const struct lacp_choices *choices);
/* The link came up or went down. */
void lacp_enable(struct lacp_port *port, bool is_enabled, uint64_t now_ms);
/* False if the PDU is ignored: it is of the port's own system, or the link is down. */
bool lacp_receive(struct lacp_port *port, const struct lacp_pdu *pdu, uint64_t now_ms);
/* Run the timers of all ports of a bond, and select those that aggregate. */
void lacp_run(struct lacp_port *const *ports, uint16_t count, uint64_t now_ms);
/* True, with the PDU, if the port is to send it now. */
bool lacp_next_pdu(struct lacp_port *port, uint64_t now_ms, struct lacp_pdu *pdu);
