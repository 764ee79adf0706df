/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/arp.h"

/* Required values of hardware type, protocol type and address lengths. */
static const uint8_t hardware[2] = {0, ARP_ETHERNET}, protocol[2] = {0x08, 0x00};
enum { HARDWARE_LEN = 6, PROTOCOL_LEN = 4 };

static uint32_t load32(const uint8_t *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof(value));
	return be32toh(value);
}

static void store32(uint8_t *bytes, uint32_t value)
{
	value = htobe32(value);
	memcpy(bytes, &value, sizeof(value));
}

enum arp_check arp_parse(const uint8_t *bytes, size_t length, struct arp *out)
{
	if (length < ARP_LEN)
		return ARP_SHORT;
	if (memcmp(bytes, hardware, sizeof(hardware)) || bytes[4] != HARDWARE_LEN)
		return ARP_NOT_ETHERNET;
	if (memcmp(bytes + 2, protocol, sizeof(protocol)) || bytes[5] != PROTOCOL_LEN)
		return ARP_NOT_IP4;
	out->operation = (uint16_t)(bytes[6] << 8 | bytes[7]);
	if (out->operation != ARP_REQUEST && out->operation != ARP_REPLY)
		return ARP_OPERATION;
	memcpy(out->sender_mac, bytes + 8, sizeof(out->sender_mac));
	out->sender = load32(bytes + 14);
	memcpy(out->target_mac, bytes + 18, sizeof(out->target_mac));
	out->target = load32(bytes + 24);
	return ARP_OK;
}

void arp_write(uint8_t *bytes, const struct arp *arp)
{
	memcpy(bytes, hardware, sizeof(hardware));
	memcpy(bytes + 2, protocol, sizeof(protocol));
	bytes[4] = HARDWARE_LEN;
	bytes[5] = PROTOCOL_LEN;
	bytes[6] = (uint8_t)(arp->operation >> 8);
	bytes[7] = (uint8_t)arp->operation;
	memcpy(bytes + 8, arp->sender_mac, sizeof(arp->sender_mac));
	store32(bytes + 14, arp->sender);
	memcpy(bytes + 18, arp->target_mac, sizeof(arp->target_mac));
	store32(bytes + 24, arp->target);
}

void arp_write_request(uint8_t *bytes, const uint8_t *sender_mac, uint32_t sender, uint32_t target)
{
	struct arp arp = {.operation = ARP_REQUEST, .sender = sender, .target = target};
	memcpy(arp.sender_mac, sender_mac, sizeof(arp.sender_mac));
	arp_write(bytes, &arp);
}
