/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that reserve address space for their maximum size and use memory only where they are
 * written.
 */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed; NULL if there is no address space. */
static inline void *address_space_reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static inline void address_space_release(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}
