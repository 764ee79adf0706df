/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbour discovery for IPv6 (RFC 4861): the messages behind the IPv6 header. */
#pragma once

#include "wire/icmp6.h"

enum {
	ND_HOP_LIMIT = 255, /* packets from beyond the link cannot have it */
	ND_NEIGHBOR_LEN = 24,
	ND_ADDRESS_OPTION_LEN = 8,
	ND_MTU_OPTION_LEN = 8,
	ND_PREFIX_OPTION_LEN = 32,
	ND_ROUTER_SOLICITATION_LEN = 8,
	ND_ROUTER_ADVERTISEMENT_LEN = 16,
	ND_MAX_PREFIXES = 8, /* in a sent advertisement */
	/* A sent solicitation or advertisement, with its option. */
	ND_NEIGHBOR_MESSAGE_LEN = ND_NEIGHBOR_LEN + ND_ADDRESS_OPTION_LEN,
	ND_MAX_ADVERTISEMENT_LEN = ND_ROUTER_ADVERTISEMENT_LEN + ND_ADDRESS_OPTION_LEN +
							   ND_MTU_OPTION_LEN + ND_MAX_PREFIXES * ND_PREFIX_OPTION_LEN,
};

enum nd_check {
	ND_OK = 0,
	ND_SHORT,         /* shorter than the message */
	ND_CODE,          /* not 0 */
	ND_OPTION_LENGTH, /* zero, or beyond the message */
	ND_TARGET,        /* a multicast address */
	ND_ADDRESSES,     /* source or destination do not match the message */
};

/* Neighbour or router solicitation, or neighbour advertisement. */
struct nd_message {
	uint8_t type; /* enum icmp6_type */
	bool is_router, is_solicited, is_override;
	uint8_t target[IP6_ADDRESS_LEN]; /* not in a router solicitation */
	bool has_mac;                    /* has the MAC of the sender (solicitation) or the target */
	uint8_t mac[6];
};

/* `bytes` are the whole message, of one of the types above. */
enum nd_check nd_parse(const uint8_t *bytes, size_t length, struct nd_message *out);

/* Check source and destination of the message (RFC 4861 section 7.1). */
enum nd_check nd_check_addresses(const struct nd_message *message, const uint8_t *source,
								 const uint8_t *destination);

/* Write ND_NEIGHBOR_MESSAGE_LEN bytes, or ND_NEIGHBOR_LEN without `has_mac`; the checksum is left
 * out. */
void nd_write(uint8_t *bytes, const struct nd_message *message);
/* nd_write with the IPv6 header and the checksum. */
void nd_write_packet(uint8_t *packet, const uint8_t *source, const uint8_t *destination,
					 const struct nd_message *message);
/* Write a whole neighbour solicitation; a message without source address must not have a MAC
 * address (NULL). `target` may be inside of the packet's memory. */
void nd_write_solicitation(uint8_t *packet, const uint8_t *source, const uint8_t *destination,
						   const uint8_t *target, const uint8_t *mac);

struct nd_prefix {
	uint8_t address[IP6_ADDRESS_LEN];
	uint8_t length;
	bool is_on_link, is_autonomous;
	uint32_t valid_s, preferred_s;
};

struct nd_router {
	uint8_t hop_limit;
	bool is_managed, is_other;
	uint16_t lifetime_s;
	uint32_t reachable_ms, retransmit_ms;
	uint32_t mtu;
	uint8_t mac[6];
	uint8_t prefix_count;
	struct nd_prefix prefixes[ND_MAX_PREFIXES];
};

/* Write a router advertisement without checksum; returns its length, at most
 * ND_MAX_ADVERTISEMENT_LEN. */
uint16_t nd_write_router(uint8_t *bytes, const struct nd_router *router);
