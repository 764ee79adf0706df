/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow with their content. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The array with room for one more than `count` of `size` bytes each; NULL, and it stays as it is:
 * memory is short. */
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
