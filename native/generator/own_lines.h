/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that a worker writes for each packet or burst. It begins a cache line, so that what two
 * workers write never lies in the same one, however the main thread came to make it.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

/* Zeroed; NULL: memory is short. It is as long as asked for, so that a step beyond is found. */
static inline void *own_lines(size_t count, size_t size)
{
	enum { LINE = 64 };
	void *memory = NULL;
	if (posix_memalign(&memory, LINE, count * size))
		return NULL;
	return memset(memory, 0, count * size);
}
