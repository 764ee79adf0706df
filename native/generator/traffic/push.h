/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that the main thread sends once. */
#pragma once

#include "generator/port.h"

struct ws_push;

struct pushed {
	double at; /* in ticks since `origin` */
	uint32_t offset;
	uint16_t length;
};

/* The worker writes `next` and `stuck_since`; all other members are constant once it has the push.
 */
struct push {
	uint64_t origin; /* TSC */
	uint64_t
		stuck_since; /* TSC at which the driver began to refuse all packets; 0: it takes some */
	uint32_t count, next;
	uint8_t *bytes;
	struct pushed packets[];
};

struct push *push_create(const struct ws_push *packets, uint32_t count, uint16_t longest,
						 int *error);
void push_free(struct push *push);

/* On the worker: send pushed packets that are due. */
uint32_t generator_transmit_pushed(struct generator_port *port);
