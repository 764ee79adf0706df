/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache lines that threads read and write, by single steps; x86-64 only.
 *
 * While the watch is on, no writable memory of the process is accessible except stacks. Each access
 * faults and is noted. Then the page is opened for this one instruction. So the watch works with
 * any build, includes drivers and libraries, and sees stores that change no value. It misses the
 * second line of an access that crosses lines, and accesses to a page that another thread has open
 * at that moment. Repeat what is watched, therefore.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum { LINE_WATCH_THREADS = 8 };

/* Notes accesses of these threads. Others may run, slowly. */
void line_watch_begin(const pid_t *threads, int count);
void line_watch_end(void);

/* A line that thread `writer` wrote and thread `other` read or wrote, and their instructions. */
struct shared_line {
	uintptr_t line;
	int writer, other;
	const void *written_at, *used_at;
};

/* After the end: writes at most `most` of the shared lines; returns the number of all, or -1 if
 * more lines were used than can be noted. */
int line_watch_shared(struct shared_line *found, int most);
/* Number of lines that thread `thread` wrote. */
int line_watch_written(int thread);
