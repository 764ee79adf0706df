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
	bool is_lent; /* the port's own memory, which stays when the peer disconnects */
};

/* Make memory to share; returns 0 or a negative errno. */
int memif_region_make(struct memif_region *region, uint64_t size);
/*
 * Map memory that a peer has sent. Takes ownership of `fd`, also on failure. Returns NULL, or the
 * reason to give to the peer, such as a file shorter than announced or one that could shrink, which
 * would kill this process.
 */
const char *memif_region_map(struct memif_region *region, uint64_t size, int fd);
void memif_region_free(struct memif_region *region);
