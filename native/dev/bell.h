/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakes a sleeping thread. Callers pay for a system call only while it sleeps.
 *
 * The sleeper: bell_listen, look for work once more, wait until `fd` is readable, bell_ignore.
 * The others: put the work where the sleeper looks for it, bell_ring.
 */
#pragma once

#include <stdint.h>

struct bell {
	int fd;
	uint32_t listening; /* whoever clears it writes to `fd` */
};

/* 0, or a negative errno without a line about it. */
int bell_open(struct bell *bell);
void bell_close(struct bell *bell);

/* The sleeper's. */
static inline void bell_listen(struct bell *bell)
{
	__atomic_store_n(&bell->listening, 1, __ATOMIC_RELAXED);
	/* Between the flag and the look for work: as in `bell_ring`. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/* Clear past rings, so that the next wait is for new ones. */
void bell_ignore(struct bell *bell);

void bell_strike(struct bell *bell);

static inline void bell_ring(struct bell *bell)
{
	/* Between the work, which is in its place by now, and the flag. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&bell->listening, __ATOMIC_RELAXED) &&
		__atomic_exchange_n(&bell->listening, 0, __ATOMIC_RELAXED))
		bell_strike(bell);
}
