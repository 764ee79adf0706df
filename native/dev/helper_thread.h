/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that serves descriptors for ports: one for all TAPs, one for all memifs. It runs while
 * there is such a port. Ports are added and removed only while it is stopped, so its function and
 * the main thread share their data without a lock.
 */
#pragma once

#include "dev/bell.h"

#include <pthread.h>
#include <stdbool.h>

struct epoll_event;

struct helper_thread {
	const char *name;   /* thread name; Linux keeps 15 characters */
	const char *serves; /* name of its ports in error texts: "TAPs" */
	void (*run)(void);  /* returns soon after helper_thread_must_stop is true */
	int epoll;          /* -1: closed */
	struct bell bell;   /* in the epoll set, with NULL as its data */
	pthread_t thread;
	bool is_running, must_stop;
};

#define HELPER_THREAD_CLOSED .epoll = -1, .bell = {.fd = -1}

/* ---- For the main thread ---- */

/* Make the epoll set if there is none; returns 0 or a negative errno. */
int helper_thread_open(struct helper_thread *helper);
/* Close the epoll set; the thread has stopped. */
void helper_thread_close(struct helper_thread *helper);
/* Returns 0, or a negative errno without an error text, since the thread's function may call it
 * too. `source` comes back with each event. */
int helper_thread_watch(struct helper_thread *helper, int fd, void *source);
int helper_thread_start(struct helper_thread *helper);
/* Returns once the function has returned. */
void helper_thread_stop(struct helper_thread *helper);

/* ---- For the function ---- */

static inline bool helper_thread_must_stop(const struct helper_thread *helper)
{
	return __atomic_load_n(&helper->must_stop, __ATOMIC_RELAXED);
}

/* ---- For any thread ---- */

/* Call this once the work is where the function looks for it. */
static inline void helper_thread_wake(struct helper_thread *helper)
{
	bell_ring(&helper->bell);
}
