/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is shared with a peer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memif_region {
	uint8_t *base;
	uint64_t size;
	int fd;
	bool is_lent; /* the port's own, which stays when the peer goes */
};

/* Makes memory of our own to share; 0 or a negative errno. */
int memif_region_make(struct memif_region *region, uint64_t size);
/*
 * Maps what a peer has sent, and takes `fd` over, also on failure. NULL, or the reason to tell the
 * peer: it may be shorter than was said, or could become so, which would kill us.
 */
const char *memif_region_map(struct memif_region *region, uint64_t size, int fd);
void memif_region_free(struct memif_region *region);
