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

/* `next` and `stuck_since` are the worker's; the rest is made before it gets it. */
struct push {
	uint64_t origin;      /* TSC */
	uint64_t stuck_since; /* TSC at which the driver began to take nothing; 0: it takes some */
	uint32_t count, next;
	uint8_t *bytes;
	struct pushed packets[];
};

struct push *push_create(const struct ws_push *packets, uint32_t count, uint16_t longest,
						 int *error);
void push_free(struct push *push);

/* Sends what is pushed and due; on the worker. */
uint32_t generator_transmit_pushed(struct generator_port *port);
