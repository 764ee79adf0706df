/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An idle worker polls on or sleeps.
 *
 * If all its queues have a wake-up, by the driver's descriptor or the TAPs' thread, it waits for
 * that. Else it naps, longer each time, so that an idle router costs next to nothing. A nap is
 * short enough for a ring of 1 024 packets at a million packets per second.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct router_worker;
struct ws_router;

enum rest_mode {
	REST_NEVER = 0,
	REST_WHEN_IDLE = 1, /* after some time without a packet */
	REST_AT_ONCE = 2,   /* after one poll without a packet */
};

struct rest {
	uint32_t mode; /* enum rest_mode */
	uint32_t nap_us;
	uint64_t idle_since; /* TSC; 0 when the last poll brought something */
	int epoll;           /* epoll of the queues' descriptors and of its bell, or -1 */
	bool has_interrupts; /* some of these are drivers' */
	bool is_handed;      /* other workers may hand packets to this one */
	bool is_called;      /* a descriptor ended the last sleep */
	bool is_asleep;      /* it has not had a packet since it last slept; others look */
};

/* Once in a worker's thread. */
void rest_begin(void);
/* The worker between two walks, or the main thread while it is out of its loop: before and after
 * its queues or their modes change. */
void rest_close(struct router_worker *worker);
void rest_prepare(struct ws_router *router, uint16_t worker);
/* A poll brought nothing. */
void rest(struct ws_router *router, uint16_t worker);
