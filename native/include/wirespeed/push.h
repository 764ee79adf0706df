/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct ws_generator;

struct ws_push {
	const uint8_t *packet; /* copied */
	uint16_t packet_len;   /* without FCS; sent as it is, however short */
	double at_us;          /* after the call; not before the one before it */
};
/* Send packets once, as the medium takes them, beside what profiles send. -EBUSY while the port has
 * some of before. */
int ws_generator_push(struct ws_generator *generator, uint16_t port, const struct ws_push *packets,
					  uint32_t count);
/* Number of packets still to be sent. */
int ws_generator_push_left(struct ws_generator *generator, uint16_t port);
