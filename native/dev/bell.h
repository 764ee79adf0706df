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
	uint32_t listening; /* a thread that clears it writes to `fd` */
};

/* Returns 0, or a negative errno without an error text. */
int bell_open(struct bell *bell);
void bell_close(struct bell *bell);

/* For the sleeping thread. */
static inline void bell_listen(struct bell *bell)
{
	__atomic_store_n(&bell->listening, 1, __ATOMIC_RELAXED);
	/* Orders the store of the flag before the look for work: as in `bell_ring`. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/* Clear earlier rings, so that the next wait is for new ones. */
void bell_ignore(struct bell *bell);

void bell_strike(struct bell *bell);

static inline void bell_ring(struct bell *bell)
{
	/* Orders the stores of the work before the load of the flag. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&bell->listening, __ATOMIC_RELAXED) &&
		__atomic_exchange_n(&bell->listening, 0, __ATOMIC_RELAXED))
		bell_strike(bell);
}
