/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/ip4.h"

#include <string.h>

enum { END = 0, NOTHING = 1, COPIED = 0x80 };

uint16_t ip4_copy_fragment_options(const uint8_t *from, uint16_t header, uint8_t *to)
{
	uint16_t length = IP4_LEN;
	for (uint16_t at = IP4_LEN; at < header && from[at] != END;) {
		uint16_t size = 1;
		if (from[at] != NOTHING) {
			size = at + 1 < header ? from[at + 1] : 0;
			if (size < 2 || at + size > header)
				break;
		}
		if (from[at] & COPIED) {
			memcpy(to + length, from + at, size);
			length += size;
		}
		at += size;
	}
	while (length % 4)
		to[length++] = END;
	to[0] = (uint8_t)(0x40 | length / 4);
	return length;
}
