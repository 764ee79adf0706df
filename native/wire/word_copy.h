/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure that one thread writes anew while others read fields of it. A reader finds each field
 * whole, as it was or as it is to be; of several it may find some of each. What a pointer in it
 * leads to is there before the pointer is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) copied_word;

/* `size` and both addresses are multiples of a word. */
static inline void word_copy(void *to, const void *from, size_t size)
{
	copied_word *words = to;
	const copied_word *source = from;
	for (size_t i = 0; i < size / sizeof(*words); i++)
		__atomic_store_n(&words[i], source[i], __ATOMIC_RELEASE);
}
