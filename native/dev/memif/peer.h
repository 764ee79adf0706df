/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions and rings of one connection. A server's come from its client and are checked message by
 * message; a client's are laid out here. No sockets here.
 */
#pragma once

#include "dev/memif/protocol.h"
#include "dev/memif/region.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* S2M is the first direction, M2S the second. */
enum memif_direction { MEMIF_S2M, MEMIF_M2S, MEMIF_DIRECTIONS };

struct memif_peer_ring {
	bool is_there;
	uint8_t log2_slots;
	uint16_t region;
	uint32_t offset;
	int fd;           /* its eventfd */
	uint8_t *buffers; /* a client's: one for each slot, see memif_stride */
};

struct memif_peer {
	uint16_t region_count;
	uint16_t ring_counts[MEMIF_DIRECTIONS];
	struct memif_region regions[MEMIF_MAX_REGIONS];
	struct memif_peer_ring rings[MEMIF_DIRECTIONS][WS_MAX_QUEUES];
};

/*
 * A client's buffers: how long they are, and how far apart. All at a multiple of their length would
 * share a few sets of the first-level cache.
 */
enum { MEMIF_BUFFER = 2048, MEMIF_STRIDE = MEMIF_BUFFER + 64 };

/* The region with packets of a client that the server reads and fills in place (lent.h). */
enum { MEMIF_LENT_REGION = 1 };

/* ---- A server's: each returns NULL, or the reason for which the client is sent away. ---- */

/* ADD_REGION and ADD_RING; takes `fd` over, -1: none came. No more rings than `most`. */
const char *memif_peer_take(struct memif_peer *peer, const struct memif_message *message, int fd,
							const uint16_t most[MEMIF_DIRECTIONS]);
/* At CONNECT: every ring is whole and lies in its region. */
const char *memif_peer_check(const struct memif_peer *peer);

/* ---- A client's ---- */

/* Makes the region and the rings in it; 0 or a negative errno. `lent` becomes the second region;
 * NULL: there is none. */
int memif_peer_lay_out(struct memif_peer *peer, const uint16_t counts[MEMIF_DIRECTIONS],
					   uint8_t log2_slots, const struct memif_region *lent);
/* The message number `step` of those that follow INIT, and its descriptor (-1: none); false when
 * all were said. */
bool memif_peer_say(const struct memif_peer *peer, uint16_t step, struct memif_message *message,
					int *fd);

/* ---- Both ---- */

struct memif_ring *memif_peer_ring(const struct memif_peer *peer, enum memif_direction direction,
								   uint16_t index);
void memif_peer_free(struct memif_peer *peer);
