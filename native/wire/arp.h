/* SPDX-License-Identifier: Apache-2.0 */
/* ARP for IPv4 over Ethernet (RFC 826). */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ARP_LEN = 28, ARP_ETHERNET = 1, ARP_REQUEST = 1, ARP_REPLY = 2 };

/* Addresses in host byte order. */
struct arp {
	uint16_t operation;
	uint8_t sender_mac[6], target_mac[6];
	uint32_t sender, target;
};

enum arp_check {
	ARP_OK = 0,
	ARP_SHORT,
	ARP_NOT_ETHERNET, /* hardware type or address length */
	ARP_NOT_IP4,      /* protocol type or address length */
	ARP_OPERATION,    /* neither request nor reply */
};

enum arp_check arp_parse(const uint8_t *bytes, size_t length, struct arp *out);
/* Writes ARP_LEN bytes. */
void arp_write(uint8_t *bytes, const struct arp *arp);
/* A request for the MAC address of `target`; to be sent to arp_everybody, or to one station. */
void arp_write_request(uint8_t *bytes, const uint8_t *sender_mac, uint32_t sender, uint32_t target);

static const uint8_t arp_everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
