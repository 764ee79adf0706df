/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that a worker writes for each packet or burst. It starts at a cache line of its own, so
 * that two workers never write to the same line, whatever the order of the allocations.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

/* Zeroed; NULL: out of memory. The size is not rounded up, so that sanitizers find accesses beyond
 * the end. */
static inline void *own_lines(size_t count, size_t size)
{
	enum { LINE = 64 };
	void *memory = NULL;
	if (posix_memalign(&memory, LINE, count * size))
		return NULL;
	return memset(memory, 0, count * size);
}
