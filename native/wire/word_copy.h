/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure that one thread rewrites while others read its fields. A reader gets each field
 * whole, old or new; several fields may be a mixture. The target of a pointer in it is written
 * before the pointer.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) copied_word;

/* `size` and both addresses must be multiples of a word. */
static inline void word_copy(void *to, const void *from, size_t size)
{
	copied_word *words = to;
	const copied_word *source = from;
	for (size_t i = 0; i < size / sizeof(*words); i++)
		__atomic_store_n(&words[i], source[i], __ATOMIC_RELEASE);
}
