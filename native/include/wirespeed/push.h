/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct ws_generator;

struct ws_push {
	const uint8_t *packet; /* copied */
	uint16_t packet_len;   /* without FCS; sent unpadded */
	double at_us;          /* time after the call; not before the previous packet's */
};
/* Send packets once, as fast as the medium takes them, in addition to the profiles' packets. -EBUSY
 * while packets of an earlier call are left. */
int ws_generator_push(struct ws_generator *generator, uint16_t port, const struct ws_push *packets,
					  uint32_t count);
/* Number of packets still to be sent. */
int ws_generator_push_left(struct ws_generator *generator, uint16_t port);
