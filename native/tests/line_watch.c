/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/line_watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	LINE_BITS = 6,
	PAGE = 4096,
	MOST_RANGES = 2048,
	MOST_OPEN = 8, /* pages that one instruction uses */
	PLACES = 1 << 15,
	WRITE_ACCESS = 2, /* bits of a fault's error code, and of the flags */
	TRAP_FLAG = 0x100,
	NEAR_THREAD = 1 << 16, /* bytes of thread-local memory beside a thread's pointer */
};

/* The shadow memory of the address sanitizer; without it, DPDK's memory lies there. */
static const uintptr_t shadow_begin = 0x7fff7000, shadow_end = 0x10007fff8000;
extern void __asan_init(void) __attribute__((weak));

struct range {
	uintptr_t begin, end;
};

struct place {
	uintptr_t line; /* 0: free */
	uint8_t readers, writers;
	uint32_t stores;
	const void *read_at[LINE_WATCH_THREADS], *written_at[LINE_WATCH_THREADS];
};

/* Stays accessible: signal handlers use this and their stack only. */
static struct {
	int lock; /* the thread that steps, or 0 */
	int thread_count, range_count, open_count;
	pid_t threads[LINE_WATCH_THREADS];
	uintptr_t open[MOST_OPEN];
	struct range ranges[MOST_RANGES];
	bool is_on, is_full;
	struct place places[PLACES];
} __attribute__((aligned(PAGE))) watch;

#define HANDLER __attribute__((no_sanitize("address", "undefined")))

HANDLER static long call(long number, long first, long second, long third)
{
	register long fourth __asm__("r10") = sizeof(uint64_t); /* size of the kernel's signal sets */
	long result;
	__asm__ volatile("syscall"
					 : "=a"(result)
					 : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth)
					 : "rcx", "r11", "memory");
	return result;
}

HANDLER static bool is_watched(uintptr_t address)
{
	for (int i = 0; i < watch.range_count; i++)
		if (address >= watch.ranges[i].begin && address < watch.ranges[i].end)
			return true;
	return false;
}

HANDLER static struct place *place_of(uintptr_t line)
{
	uintptr_t at = line * 0x9e3779b97f4a7c15u >> 40;
	for (int tries = 0; tries < PLACES; tries++, at++) {
		struct place *place = &watch.places[at % PLACES];
		if (!place->line)
			place->line = line;
		if (place->line == line)
			return place;
	}
	watch.is_full = true;
	return &watch.places[0];
}

HANDLER static void note(pid_t thread, uintptr_t address, bool is_write, const void *code)
{
	int index = 0;
	while (index < watch.thread_count && watch.threads[index] != thread)
		index++;
	if (index == watch.thread_count)
		return;
	struct place *place = place_of(address >> LINE_BITS);
	if (is_write) {
		place->writers |= (uint8_t)(1u << index);
		place->stores++;
		place->written_at[index] = code;
	} else {
		place->readers |= (uint8_t)(1u << index);
		place->read_at[index] = code;
	}
}

/* One thread steps at a time; an instruction that uses several pages faults once for each. */
HANDLER static void take_lock(pid_t thread)
{
	int none = 0;
	if (watch.lock == thread)
		return;
	while (!__atomic_compare_exchange_n(&watch.lock, &none, thread, false, __ATOMIC_ACQUIRE,
										__ATOMIC_RELAXED)) {
		none = 0;
		call(SYS_sched_yield, 0, 0, 0);
	}
}

HANDLER static void on_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	greg_t *registers = user->uc_mcontext.gregs;
	uintptr_t address = (uintptr_t)info->si_addr, page = address & ~(uintptr_t)(PAGE - 1);
	pid_t thread = (pid_t)call(SYS_gettid, 0, 0, 0);
	(void)number;
	if (!is_watched(address)) {
		/* A fault of the program itself: without a handler, it occurs again. */
		call(SYS_rt_sigaction, SIGSEGV, (long)&(long[4]){(long)SIG_DFL}, 0);
		return;
	}
	take_lock(thread);
	if (!watch.is_on) { /* the page is accessible again */
		__atomic_store_n(&watch.lock, 0, __ATOMIC_RELEASE);
		return;
	}
	note(thread, address, registers[REG_ERR] & WRITE_ACCESS, (const void *)registers[REG_RIP]);
	call(SYS_mprotect, (long)page, PAGE, PROT_READ | PROT_WRITE);
	if (watch.open_count < MOST_OPEN)
		watch.open[watch.open_count++] = page;
	registers[REG_EFL] |= TRAP_FLAG;
}

HANDLER static void on_step(int number, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	(void)number, (void)info;
	while (watch.open_count) {
		uintptr_t page = watch.open[--watch.open_count];
		call(SYS_mprotect, (long)page, PAGE, PROT_NONE);
	}
	user->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	__atomic_store_n(&watch.lock, 0, __ATOMIC_RELEASE);
}

/* ---- Watched ranges ---- */

static void watch_range(uintptr_t begin, uintptr_t end)
{
	if (begin >= end)
		return;
	if (watch.range_count == MOST_RANGES) {
		fprintf(stderr, "line_watch: more than %d ranges of memory\n", MOST_RANGES);
		abort();
	}
	watch.ranges[watch.range_count++] = (struct range){begin, end};
}

/* Watch the range without [from, to). */
static void watch_around(struct range range, uintptr_t from, uintptr_t to)
{
	if (to <= range.begin || from >= range.end) {
		watch_range(range.begin, range.end);
		return;
	}
	watch_range(range.begin, from);
	watch_range(to, range.end);
}

static void leave_out(uintptr_t from, uintptr_t to)
{
	int count = watch.range_count;
	struct range *before = malloc(sizeof(watch.ranges));
	if (!before)
		abort();
	memcpy(before, watch.ranges, sizeof(watch.ranges));
	watch.range_count = 0;
	for (int i = 0; i < count; i++)
		watch_around(before[i], from & ~(uintptr_t)(PAGE - 1),
					 (to + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	free(before);
}

/* A thread's stack begins above an inaccessible page and has the default size. */
static void find_ranges(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], access[8];
	uintptr_t guard_end = 0, pointer = (uintptr_t)pthread_self();
	size_t stack_size = 0;
	struct range range, stacks[64];
	int stack_count = 0;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_getstacksize(&attributes, &stack_size);
	pthread_attr_destroy(&attributes);
	if (!maps)
		abort();
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s", &range.begin, &range.end, access) != 3)
			abort();
		bool is_guard = !strncmp(access, "---", 3) && range.end - range.begin == PAGE;
		bool is_writable = !strncmp(access, "rw-", 3) && !strstr(line, "[stack]") &&
						   (!__asan_init || range.begin >= shadow_end || range.end <= shadow_begin);
		if (is_writable && range.begin == guard_end && stack_count < 64)
			stacks[stack_count++] = (struct range){guard_end, guard_end + stack_size};
		if (is_writable)
			watch_range(range.begin, range.end);
		guard_end = is_guard ? range.end : 0;
	}
	fclose(maps);
	for (int i = 0; i < stack_count; i++)
		leave_out(stacks[i].begin, stacks[i].end);
	leave_out(pointer - NEAR_THREAD, pointer + NEAR_THREAD);
	leave_out((uintptr_t)&watch, (uintptr_t)(&watch + 1));
}

static void protect(int protection)
{
	for (int i = 0; i < watch.range_count; i++) {
		const struct range *range = &watch.ranges[i];
		long result =
			call(SYS_mprotect, (long)range->begin, (long)(range->end - range->begin), protection);
		if (result)
			_exit(99); /* no memory is accessible for a message */
	}
}

void line_watch_begin(const pid_t *threads, int count)
{
	memset(&watch, 0, sizeof(watch));
	watch.thread_count = count;
	memcpy(watch.threads, threads, (size_t)count * sizeof(*threads));
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	struct sigaction trap = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
	sigfillset(&fault.sa_mask);
	sigfillset(&trap.sa_mask);
	sigdelset(&fault.sa_mask, SIGSEGV);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGTRAP, &trap, NULL);
	find_ranges();
	watch.is_on = true;
	protect(PROT_NONE);
}

/* The handlers stay: a thread may have faulted just before. */
void line_watch_end(void)
{
	take_lock((pid_t)call(SYS_gettid, 0, 0, 0));
	watch.is_on = false;
	protect(PROT_READ | PROT_WRITE);
	__atomic_store_n(&watch.lock, 0, __ATOMIC_RELEASE);
}

/* ---- Results ---- */

static bool is_shared(const struct place *place)
{
	uint8_t users = place->readers | place->writers;
	return place->writers && users & (users - 1);
}

int line_watch_shared(struct shared_line *found, int most, line_test *is_by_design)
{
	int count = 0;
	if (watch.is_full)
		return -1;
	for (const struct place *place = watch.places; place < watch.places + PLACES; place++) {
		uintptr_t line = place->line << LINE_BITS;
		if (!is_shared(place) || (is_by_design && is_by_design(line)))
			continue;
		int writer = __builtin_ctz(place->writers);
		unsigned others = (place->readers | place->writers) & ~(1u << writer);
		int other = __builtin_ctz(others);
		const void *used =
			place->writers >> other & 1 ? place->written_at[other] : place->read_at[other];
		if (count < most)
			found[count] =
				(struct shared_line){line, writer, other, place->written_at[writer], used};
		count++;
	}
	return count;
}

int line_watch_written(int thread)
{
	int count = 0;
	for (const struct place *place = watch.places; place < watch.places + PLACES; place++)
		count += place->writers >> thread & 1;
	return count;
}

uint32_t line_watch_stores(line_test *test)
{
	uint32_t stores = 0;
	for (const struct place *place = watch.places; place < watch.places + PLACES; place++)
		stores += place->line && test(place->line << LINE_BITS) ? place->stores : 0;
	return stores;
}
