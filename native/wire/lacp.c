/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/lacp.h"

#include <endian.h>
#include <string.h>

const uint8_t slow_protocols_mac[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x02};

/* Types and lengths of TLVs, and offsets within the TLV of a party. */
enum {
	VERSION = 1,
	ACTOR_AT = 2,
	PARTNER_AT = 22,
	COLLECTOR_AT = 42,
	ACTOR_TYPE = 1,
	PARTNER_TYPE = 2,
	COLLECTOR_TYPE = 3,
	PARTY_LEN = 20,
	COLLECTOR_LEN = 16,
	SYSTEM_AT = 4,
	KEY_AT = 10,
	PORT_PRIORITY_AT = 12,
	PORT_AT = 14,
	STATE_AT = 16,
	MARKER_TLV_LEN = 16,
	ASKER_PORT_AT = 4,
	ASKER_SYSTEM_AT = 6,
	NUMBER_AT = 12,
};

static uint16_t read16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void write16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static void read_party(const uint8_t *bytes, struct lacp_party *party)
{
	party->system_priority = read16(bytes + 2);
	memcpy(party->system, bytes + SYSTEM_AT, sizeof(party->system));
	party->key = read16(bytes + KEY_AT);
	party->port_priority = read16(bytes + PORT_PRIORITY_AT);
	party->port = read16(bytes + PORT_AT);
	party->state = bytes[STATE_AT];
}

static void write_party(uint8_t *bytes, uint8_t type, const struct lacp_party *party)
{
	bytes[0] = type;
	bytes[1] = PARTY_LEN;
	write16(bytes + 2, party->system_priority);
	memcpy(bytes + SYSTEM_AT, party->system, sizeof(party->system));
	write16(bytes + KEY_AT, party->key);
	write16(bytes + PORT_PRIORITY_AT, party->port_priority);
	write16(bytes + PORT_AT, party->port);
	bytes[STATE_AT] = party->state;
}

/* Later versions begin like version 1. */
bool lacp_parse(const uint8_t *bytes, size_t length, struct lacp_pdu *pdu)
{
	if (length < LACP_LEN || bytes[0] != SLOW_SUBTYPE_LACP || bytes[1] < VERSION ||
		bytes[ACTOR_AT] != ACTOR_TYPE || bytes[ACTOR_AT + 1] != PARTY_LEN ||
		bytes[PARTNER_AT] != PARTNER_TYPE || bytes[PARTNER_AT + 1] != PARTY_LEN)
		return false;
	read_party(bytes + ACTOR_AT, &pdu->actor);
	read_party(bytes + PARTNER_AT, &pdu->partner);
	return true;
}

void lacp_write(uint8_t *bytes, const struct lacp_pdu *pdu)
{
	memset(bytes, 0, LACP_LEN);
	bytes[0] = SLOW_SUBTYPE_LACP;
	bytes[1] = VERSION;
	write_party(bytes + ACTOR_AT, ACTOR_TYPE, &pdu->actor);
	write_party(bytes + PARTNER_AT, PARTNER_TYPE, &pdu->partner);
	bytes[COLLECTOR_AT] = COLLECTOR_TYPE;
	bytes[COLLECTOR_AT + 1] = COLLECTOR_LEN;
}

void marker_write(uint8_t *bytes, const struct lacp_party *asker, uint32_t number)
{
	memset(bytes, 0, LACP_LEN);
	bytes[0] = SLOW_SUBTYPE_MARKER;
	bytes[1] = VERSION;
	bytes[MARKER_KIND_AT] = MARKER_QUESTION;
	bytes[MARKER_KIND_AT + 1] = MARKER_TLV_LEN;
	write16(bytes + ASKER_PORT_AT, asker->port);
	memcpy(bytes + ASKER_SYSTEM_AT, asker->system, sizeof(asker->system));
	write16(bytes + NUMBER_AT, (uint16_t)(number >> 16));
	write16(bytes + NUMBER_AT + 2, (uint16_t)number);
}

bool marker_is(const uint8_t *bytes, size_t length, int kind)
{
	return length >= LACP_LEN && bytes[0] == SLOW_SUBTYPE_MARKER && bytes[MARKER_KIND_AT] == kind;
}

uint32_t marker_number(const uint8_t *bytes)
{
	return (uint32_t)read16(bytes + NUMBER_AT) << 16 | read16(bytes + NUMBER_AT + 2);
}
