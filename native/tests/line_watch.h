/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache lines that threads read and write, found by single steps; x86-64 only.
 *
 * During the watch, no writable memory of the process is accessible except stacks. Each access
 * faults and is recorded; then the page is opened for this one instruction. So the watch works with
 * any build, includes drivers and libraries, and finds stores that change no value. It misses the
 * second line of an access that crosses lines, and accesses to a page that another thread has open
 * at that moment: repeat the watched code.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { LINE_WATCH_THREADS = 8 };

/* Record accesses of these threads. Other threads may run, slowly. */
void line_watch_begin(const pid_t *threads, int count);
void line_watch_end(void);

/* A line that thread `writer` wrote and thread `other` read or wrote, and the addresses of their
 * instructions. */
struct shared_line {
	uintptr_t line;
	int writer, other;
	const void *written_at, *used_at;
};

typedef bool line_test(uintptr_t line);

/* After the end: writes at most `most` of the shared lines but those by design (NULL: there are
 * none); returns their total number, or -1 if more lines were used than fit into the record. */
int line_watch_shared(struct shared_line *found, int most, line_test *is_by_design);
/* Number of lines that thread `thread` wrote. */
int line_watch_written(int thread);
/* Number of stores of the threads to lines that pass the test. */
uint32_t line_watch_stores(line_test *test);
