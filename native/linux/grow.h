/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow with their content. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns the array with room for more than `count` elements of `size` bytes; NULL if memory is
 * short, which leaves the array unchanged. */
static inline void *grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return array;
	uint32_t wanted = *room ? *room * 2 : 64;
	void *larger = realloc(array, wanted * size);
	if (larger)
		*room = wanted;
	return larger;
}
