/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleep of idle workers. If all queues of a worker have a wake-up, from the driver's descriptor or
 * the TAPs' thread, it waits for that. Otherwise it naps, longer each time, so that an idle router
 * costs next to nothing. A nap is short enough for a ring of 1 024 packets at a million packets per
 * second.
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
	uint64_t idle_since; /* TSC; 0: the last poll brought packets */
	int epoll;           /* epoll set of the queues' descriptors and its bell, or -1 */
	bool has_interrupts; /* some of these are drivers' descriptors */
	bool is_handed;      /* other workers may hand packets to this one */
	bool is_called;      /* a descriptor ended the last sleep */
	bool is_asleep;      /* no packet since its last sleep; read by other threads */
};

/* Called once in a worker's thread. */
void rest_begin(void);
/* Called by the worker between two walks, or by the main thread while the worker is out of its
 * loop, before and after a change of its queues or their modes. */
void rest_close(struct router_worker *worker);
void rest_prepare(struct ws_router *router, uint16_t worker);
/* Called after a poll without packets. */
void rest(struct ws_router *router, uint16_t worker);
