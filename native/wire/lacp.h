/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of link aggregation (IEEE 802.1AX-2008 clauses 5.4.2 and 5.5): LACPDUs and markers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SLOW_SUBTYPE_LACP = 1,
	SLOW_SUBTYPE_MARKER = 2,
	LACP_LEN = 110, /* LACPDU or marker, without the Ethernet header */
	MARKER_KIND_AT = 2,
	MARKER_QUESTION = 1,
	MARKER_ANSWER = 2,
};

/* Destination of LACPDUs and markers: the station at the other end of the link. */
extern const uint8_t slow_protocols_mac[6];

/* Bits of lacp_party.state. */
enum lacp_state {
	LACP_ACTIVE = 0x01,
	LACP_SHORT_TIMEOUT = 0x02,
	LACP_AGGREGATES = 0x04,
	LACP_IN_SYNC = 0x08,
	LACP_COLLECTS = 0x10,
	LACP_DISTRIBUTES = 0x20,
	LACP_DEFAULTED = 0x40,
	LACP_EXPIRED = 0x80,
};

/* Identity and state of a port, as reported by its system. */
struct lacp_party {
	uint16_t system_priority, key, port_priority, port;
	uint8_t system[6];
	uint8_t state;
};

/* The sender, and its view of the other end. */
struct lacp_pdu {
	struct lacp_party actor, partner;
};

/* False if the bytes are not a whole LACPDU. */
bool lacp_parse(const uint8_t *bytes, size_t length, struct lacp_pdu *pdu);
/* Writes LACP_LEN bytes. */
void lacp_write(uint8_t *bytes, const struct lacp_pdu *pdu);
/* Writes LACP_LEN bytes: a marker from a port of a system, with a number. */
void marker_write(uint8_t *bytes, const struct lacp_party *asker, uint32_t number);
/* True if the bytes are a complete marker of the kind. */
bool marker_is(const uint8_t *bytes, size_t length, int kind);
/* The number of a complete marker. */
uint32_t marker_number(const uint8_t *bytes);
