/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distance between two CPUs, measured repeatedly: core_probe CPU_A CPU_B INTERVAL_MS SECONDS
 *
 * Prints a line a probe: the time (CLOCK_MONOTONIC, seconds) and the one-way latency in nanoseconds
 * of a cache line between the CPUs, over ROUNDS round trips. The threads run at real-time priority
 * where they may, so that a probe takes well under a millisecond from whatever else those CPUs do,
 * and sleep between probes. Virtual machines move: a throughput over shared memory means little
 * without the latency it was measured at.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 1000 };

static _Alignas(64) atomic_int ball;
static _Alignas(64) sem_t serve;
static atomic_bool done;
static int cpus[2];

static void settle(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set)) {
		fprintf(stderr, "core_probe: CPU %d cannot be used\n", cpu);
		exit(3);
	}
	struct sched_param priority = {.sched_priority = 1};
	/* Without the permission, the probe is noisier, as its numbers show. */
	(void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
}

static void play(int mine, int theirs)
{
	for (int i = 0; i < ROUNDS; i++) {
		while (atomic_load_explicit(&ball, memory_order_acquire) != mine)
			;
		atomic_store_explicit(&ball, theirs, memory_order_release);
	}
}

static void *answer(void *argument)
{
	(void)argument;
	settle(cpus[1]);
	for (;;) {
		while (sem_wait(&serve) && errno == EINTR)
			;
		if (atomic_load(&done))
			return NULL;
		play(2, 1);
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: core_probe CPU_A CPU_B INTERVAL_MS SECONDS\n");
		return 2;
	}
	cpus[0] = (int)strtol(argv[1], NULL, 10);
	cpus[1] = (int)strtol(argv[2], NULL, 10);
	long interval_ms = strtol(argv[3], NULL, 10);
	double end = now() + strtod(argv[4], NULL);
	pthread_t other;
	sem_init(&serve, 0, 0);
	pthread_create(&other, NULL, answer, NULL);
	settle(cpus[0]);
	while (now() < end) {
		atomic_store(&ball, 0);
		sem_post(&serve);
		struct timespec wake = {0, 50000};
		nanosleep(&wake, NULL); /* the other side is awake by then and spins */
		double start = now();
		atomic_store_explicit(&ball, 1, memory_order_release);
		play(1, 2);
		while (atomic_load_explicit(&ball, memory_order_acquire) != 1)
			;
		double took = now() - start;
		printf("%.6f %.1f\n", start, took / (2.0 * ROUNDS) * 1e9);
		fflush(stdout);
		struct timespec pause = {interval_ms / 1000, interval_ms % 1000 * 1000000};
		nanosleep(&pause, NULL);
	}
	atomic_store(&done, true);
	sem_post(&serve);
	pthread_join(other, NULL);
	return 0;
}
