/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses and prefixes of either family. */
#pragma once

#include <stdint.h>

enum { WS_IP4 = 4, WS_IP6 = 6 };

/* An IPv4 address is in the first four bytes; the others are 0. Family 0: none. */
struct ws_address {
	uint8_t family; /* WS_IP4 or WS_IP6 */
	uint8_t bytes[16];
};

struct ws_prefix {
	struct ws_address address;
	uint8_t length; /* in bits */
};
