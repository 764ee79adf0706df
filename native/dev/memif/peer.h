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

/* S2M is the server's RX and the client's TX: index 0, as in the protocol. */
enum memif_direction { MEMIF_S2M, MEMIF_M2S, MEMIF_DIRECTIONS };

struct memif_peer_ring {
	bool is_there;
	uint8_t log2_slots;
	uint16_t region;
	uint32_t offset;
	int fd;           /* the ring's eventfd */
	uint8_t *buffers; /* client only: a buffer for each slot, see memif_stride */
};

struct memif_peer {
	uint16_t region_count;
	uint16_t ring_counts[MEMIF_DIRECTIONS];
	struct memif_region regions[MEMIF_MAX_REGIONS];
	struct memif_peer_ring rings[MEMIF_DIRECTIONS][WS_MAX_QUEUES];
};

/*
 * Length of a client's buffers, and the distance between them. Buffers at multiples of their length
 * would share a few sets of the L1 cache.
 */
enum { MEMIF_BUFFER = 2048, MEMIF_STRIDE = MEMIF_BUFFER + 64 };

/* Number of the region with a client's packets that the server reads and fills in place (lent.h).
 */
enum { MEMIF_LENT_REGION = 1 };

/* ---- Server: each function returns NULL, or the reason to disconnect the client. ---- */

/* ADD_REGION and ADD_RING. Takes ownership of `fd` (-1: none came). Refuses more rings than `most`.
 */
const char *memif_peer_take(struct memif_peer *peer, const struct memif_message *message, int fd,
							const uint16_t most[MEMIF_DIRECTIONS]);
/* At CONNECT: every ring is complete and lies within its region. */
const char *memif_peer_check(const struct memif_peer *peer);

/* ---- Client ---- */

/* Make the region and the rings in it; returns 0 or a negative errno. `lent` becomes the second
 * region; NULL: there is none. */
int memif_peer_lay_out(struct memif_peer *peer, const uint16_t counts[MEMIF_DIRECTIONS],
					   uint8_t log2_slots, const struct memif_region *lent);
/* Fill in message number `step` of those that follow INIT, and its descriptor (-1: none); false
 * after the last one. */
bool memif_peer_say(const struct memif_peer *peer, uint16_t step, struct memif_message *message,
					int *fd);

/* ---- Both ---- */

struct memif_ring *memif_peer_ring(const struct memif_peer *peer, enum memif_direction direction,
								   uint16_t index);
void memif_peer_free(struct memif_peer *peer);
