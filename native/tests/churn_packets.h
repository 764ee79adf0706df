/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of the hosts behind the ports of churn_rig.h, for each part of a router. */
#pragma once

#include "tests/router_rig.h"

#include <stdint.h>

/* Port w has 10.0.w.0/24 and 2001:db8:0:w::/64, where the router is host 1 with the MAC address
 * 02:00:00:00:00:0w. */
#define CHURN_ROUTER_MAC(wire) ((const uint8_t[6]){2, 0, 0, 0, 0, (uint8_t)(wire)})
#define CHURN_IP6(wire, host)                                                                      \
	address_of_ip6((uint8_t[16]){0x20, 1, 0xd, 0xb8, [7] = (uint8_t)(wire), [15] = (host)})

enum {
	CHURN_VNI = 7,
	CHURN_FIRST_VLAN = 7,
	CHURN_VLANS = 4,
	CHURN_FIRST_LABEL = 100,
	CHURN_LABELS = 4,
	CHURN_HOSTS = 12,     /* hosts per port, from 2 on */
	CHURN_FURTHER = 0x60, /* in place of a port: an address that is added and deleted */
};

/* A random packet. */
struct frame churn_packet(uint64_t *row, uint16_t wire);
