/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/nd.h"

enum option { SOURCE_ADDRESS = 1, TARGET_ADDRESS = 2, PREFIX = 3, MTU = 5 };
enum { FLAG_ROUTER = 0x80, FLAG_SOLICITED = 0x40, FLAG_OVERRIDE = 0x20 };
enum { FLAG_MANAGED = 0x80, FLAG_OTHER = 0x40, FLAG_ON_LINK = 0x80, FLAG_AUTONOMOUS = 0x40 };

static enum nd_check parse_options(const uint8_t *bytes, size_t length, uint8_t wanted,
								   struct nd_message *out)
{
	while (length) {
		if (length < 2)
			return ND_OPTION_LENGTH;
		size_t size = bytes[1] * 8u;
		if (!size || size > length)
			return ND_OPTION_LENGTH;
		if (bytes[0] == wanted) {
			out->has_mac = true;
			memcpy(out->mac, bytes + 2, sizeof(out->mac));
		}
		bytes += size;
		length -= size;
	}
	return ND_OK;
}

enum nd_check nd_parse(const uint8_t *bytes, size_t length, struct nd_message *out)
{
	if (length < ND_ROUTER_SOLICITATION_LEN)
		return ND_SHORT;
	*out = (struct nd_message){.type = bytes[0]};
	if (bytes[1])
		return ND_CODE;
	if (out->type == ICMP6_ROUTER_SOLICITATION)
		return parse_options(bytes + ND_ROUTER_SOLICITATION_LEN,
							 length - ND_ROUTER_SOLICITATION_LEN, SOURCE_ADDRESS, out);
	if (length < ND_NEIGHBOR_LEN)
		return ND_SHORT;
	bool is_advertisement = out->type == ICMP6_NEIGHBOR_ADVERTISEMENT;
	if (is_advertisement) {
		out->is_router = bytes[4] & FLAG_ROUTER;
		out->is_solicited = bytes[4] & FLAG_SOLICITED;
		out->is_override = bytes[4] & FLAG_OVERRIDE;
	}
	memcpy(out->target, bytes + 8, sizeof(out->target));
	if (ip6_is_multicast(out->target))
		return ND_TARGET;
	return parse_options(bytes + ND_NEIGHBOR_LEN, length - ND_NEIGHBOR_LEN,
						 is_advertisement ? TARGET_ADDRESS : SOURCE_ADDRESS, out);
}

enum nd_check nd_check_addresses(const struct nd_message *message, const uint8_t *source,
								 const uint8_t *destination)
{
	if (message->type == ICMP6_NEIGHBOR_ADVERTISEMENT)
		return message->is_solicited && ip6_is_multicast(destination) ? ND_ADDRESSES : ND_OK;
	if (!ip6_is_unspecified(source))
		return ND_OK;
	if (message->has_mac)
		return ND_ADDRESSES;
	uint8_t group[IP6_ADDRESS_LEN];
	ip6_solicited_node(group, message->target);
	return message->type == ICMP6_NEIGHBOR_SOLICITATION && !ip6_is_equal(destination, group)
			   ? ND_ADDRESSES
			   : ND_OK;
}

static uint8_t *write_address(uint8_t *bytes, enum option option, const uint8_t *mac)
{
	bytes[0] = (uint8_t)option;
	bytes[1] = 1;
	memcpy(bytes + 2, mac, 6);
	return bytes + ND_ADDRESS_OPTION_LEN;
}

void nd_write(uint8_t *bytes, const struct nd_message *message)
{
	bool is_advertisement = message->type == ICMP6_NEIGHBOR_ADVERTISEMENT;
	memset(bytes, 0, ND_NEIGHBOR_LEN);
	bytes[0] = message->type;
	if (is_advertisement)
		bytes[4] = (uint8_t)((message->is_router ? FLAG_ROUTER : 0) |
							 (message->is_solicited ? FLAG_SOLICITED : 0) |
							 (message->is_override ? FLAG_OVERRIDE : 0));
	memcpy(bytes + 8, message->target, sizeof(message->target));
	if (message->has_mac)
		write_address(bytes + ND_NEIGHBOR_LEN, is_advertisement ? TARGET_ADDRESS : SOURCE_ADDRESS,
					  message->mac);
}

void nd_write_packet(uint8_t *packet, const uint8_t *source, const uint8_t *destination,
					 const struct nd_message *message)
{
	uint16_t length = message->has_mac ? ND_NEIGHBOR_MESSAGE_LEN : ND_NEIGHBOR_LEN;
	ip6_write(packet, length, IP6_ICMP, ND_HOP_LIMIT, source, destination);
	nd_write(packet + IP6_LEN, message);
	icmp6_set_checksum(packet);
}

void nd_write_solicitation(uint8_t *packet, const uint8_t *source, const uint8_t *destination,
						   const uint8_t *target, const uint8_t *mac)
{
	struct nd_message message = {.type = ICMP6_NEIGHBOR_SOLICITATION, .has_mac = mac};
	memcpy(message.target, target, sizeof(message.target));
	if (mac)
		memcpy(message.mac, mac, sizeof(message.mac));
	nd_write_packet(packet, source, destination, &message);
}

static void store32(uint8_t *bytes, uint32_t value)
{
	value = htobe32(value);
	memcpy(bytes, &value, sizeof(value));
}

static uint8_t *write_prefix(uint8_t *bytes, const struct nd_prefix *prefix)
{
	memset(bytes, 0, ND_PREFIX_OPTION_LEN);
	bytes[0] = PREFIX;
	bytes[1] = ND_PREFIX_OPTION_LEN / 8;
	bytes[2] = prefix->length;
	bytes[3] = (uint8_t)((prefix->is_on_link ? FLAG_ON_LINK : 0) |
						 (prefix->is_autonomous ? FLAG_AUTONOMOUS : 0));
	store32(bytes + 4, prefix->valid_s);
	store32(bytes + 8, prefix->preferred_s);
	memcpy(bytes + 16, prefix->address, sizeof(prefix->address));
	return bytes + ND_PREFIX_OPTION_LEN;
}

uint16_t nd_write_router(uint8_t *bytes, const struct nd_router *router)
{
	uint8_t *at = bytes + ND_ROUTER_ADVERTISEMENT_LEN;
	memset(bytes, 0, ND_ROUTER_ADVERTISEMENT_LEN + ND_ADDRESS_OPTION_LEN + ND_MTU_OPTION_LEN);
	bytes[0] = ICMP6_ROUTER_ADVERTISEMENT;
	bytes[4] = router->hop_limit;
	bytes[5] =
		(uint8_t)((router->is_managed ? FLAG_MANAGED : 0) | (router->is_other ? FLAG_OTHER : 0));
	bytes[6] = (uint8_t)(router->lifetime_s >> 8);
	bytes[7] = (uint8_t)router->lifetime_s;
	store32(bytes + 8, router->reachable_ms);
	store32(bytes + 12, router->retransmit_ms);
	at = write_address(at, SOURCE_ADDRESS, router->mac);
	at[0] = MTU;
	at[1] = ND_MTU_OPTION_LEN / 8;
	store32(at + 4, router->mtu);
	at += ND_MTU_OPTION_LEN;
	for (uint8_t i = 0; i < router->prefix_count; i++)
		at = write_prefix(at, &router->prefixes[i]);
	return (uint16_t)(at - bytes);
}
