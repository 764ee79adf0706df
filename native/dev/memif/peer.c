/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static uint64_t ring_size(uint8_t log2_slots)
{
	return sizeof(struct memif_ring) + (sizeof(struct memif_descriptor) << log2_slots);
}

struct memif_ring *memif_peer_ring(const struct memif_peer *peer, enum memif_direction direction,
								   uint16_t index)
{
	const struct memif_peer_ring *ring = &peer->rings[direction][index];
	return (struct memif_ring *)(peer->regions[ring->region].base + ring->offset);
}

void memif_peer_free(struct memif_peer *peer)
{
	for (uint16_t i = 0; i < peer->region_count; i++)
		memif_region_free(&peer->regions[i]);
	for (int d = 0; d < MEMIF_DIRECTIONS; d++)
		for (int i = 0; i < WS_MAX_QUEUES; i++)
			if (peer->rings[d][i].is_there && peer->rings[d][i].fd >= 0)
				close(peer->rings[d][i].fd);
	memset(peer, 0, sizeof(*peer));
}

/* ---- Server ---- */

static const char *take_region(struct memif_peer *peer, const struct memif_add_region *said, int fd)
{
	if (said->index >= MEMIF_MAX_REGIONS || said->index != peer->region_count) {
		close(fd);
		return "invalid region index";
	}
	const char *reason = memif_region_map(&peer->regions[said->index], said->size, fd);
	peer->region_count += !reason;
	return reason;
}

static const char *take_ring(struct memif_peer *peer, const struct memif_add_ring *said, int fd,
							 const uint16_t most[MEMIF_DIRECTIONS])
{
	enum memif_direction direction = said->flags & MEMIF_RING_S2M ? MEMIF_S2M : MEMIF_M2S;
	const char *reason = NULL;
	if (said->index >= WS_MAX_QUEUES || said->index >= most[direction] ||
		said->index != peer->ring_counts[direction])
		reason = "invalid ring index";
	else if (said->log2_slots > MEMIF_MAX_LOG2_SLOTS)
		reason = "invalid ring size";
	if (reason) {
		close(fd);
		return reason;
	}
	/* Non-blocking: otherwise a peer could block a worker that sends it an interrupt. */
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	peer->rings[direction][peer->ring_counts[direction]++] = (struct memif_peer_ring){
		.is_there = true,
		.log2_slots = said->log2_slots,
		.region = said->region,
		.offset = said->offset,
		.fd = fd,
	};
	return NULL;
}

const char *memif_peer_take(struct memif_peer *peer, const struct memif_message *message, int fd,
							const uint16_t most[MEMIF_DIRECTIONS])
{
	bool is_region = message->type == MEMIF_ADD_REGION;
	if (!is_region && message->type != MEMIF_ADD_RING) {
		if (fd >= 0)
			close(fd);
		return "unexpected message";
	}
	if (fd < 0)
		return is_region ? "missing region fd" : "missing interrupt fd";
	return is_region ? take_region(peer, &message->add_region, fd)
					 : take_ring(peer, &message->add_ring, fd, most);
}

static const char *check_ring(const struct memif_peer *peer, enum memif_direction direction,
							  uint16_t index)
{
	enum { ALIGNMENT = 16 };
	const struct memif_peer_ring *ring = &peer->rings[direction][index];
	if (ring->region >= peer->region_count)
		return "ring in no region";
	if (ring->offset % ALIGNMENT ||
		ring->offset + ring_size(ring->log2_slots) > peer->regions[ring->region].size)
		return "ring outside its region";
	if (memif_peer_ring(peer, direction, index)->cookie != MEMIF_COOKIE)
		return "wrong cookie";
	return NULL;
}

const char *memif_peer_check(const struct memif_peer *peer)
{
	const char *reason = NULL;
	for (int d = 0; d < MEMIF_DIRECTIONS; d++)
		for (uint16_t i = 0; i < peer->ring_counts[d] && !reason; i++)
			reason = check_ring(peer, d, i);
	return reason;
}

/* ---- Client ---- */

static void write_ring(struct memif_peer *peer, enum memif_direction direction, uint16_t index)
{
	const struct memif_peer_ring *said = &peer->rings[direction][index];
	struct memif_ring *ring = memif_peer_ring(peer, direction, index);
	uint32_t slots = 1u << said->log2_slots;
	uint64_t buffers = (uint64_t)(said->buffers - peer->regions[0].base);
	for (uint32_t i = 0; i < slots; i++)
		ring->descriptors[i] = (struct memif_descriptor){
			.length = MEMIF_BUFFER,
			.offset = (uint32_t)(buffers + (uint64_t)i * MEMIF_STRIDE),
		};
	ring->head = ring->tail = 0;
	ring->flags = direction == MEMIF_M2S ? MEMIF_RING_MASKED : 0;
	ring->cookie = MEMIF_COOKIE;
}

int memif_peer_lay_out(struct memif_peer *peer, const uint16_t counts[MEMIF_DIRECTIONS],
					   uint8_t log2_slots, const struct memif_region *lent)
{
	uint64_t rings = (uint64_t)counts[MEMIF_S2M] + counts[MEMIF_M2S], size = ring_size(log2_slots);
	uint64_t ring = (size + 127) / 128 * 128, buffers = (uint64_t)MEMIF_STRIDE << log2_slots;
	uint64_t at = 0;
	memset(peer, 0, sizeof(*peer));
	if (rings * (ring + buffers) >> 32)
		return -E2BIG;
	int error = memif_region_make(&peer->regions[0], rings * (ring + buffers));
	if (error)
		return error;
	peer->region_count = 1;
	if (lent) {
		peer->regions[MEMIF_LENT_REGION] = *lent;
		peer->regions[MEMIF_LENT_REGION].is_lent = true;
		peer->region_count++;
	}
	for (int d = 0; d < MEMIF_DIRECTIONS; d++)
		for (uint16_t i = 0; i < counts[d]; i++, at++) {
			int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
			if (fd < 0) {
				error = -errno;
				memif_peer_free(peer);
				return error;
			}
			peer->rings[d][i] = (struct memif_peer_ring){
				.is_there = true,
				.log2_slots = log2_slots,
				.offset = (uint32_t)(at * ring),
				.fd = fd,
				.buffers = peer->regions[0].base + rings * ring + at * buffers,
			};
			peer->ring_counts[d]++;
			write_ring(peer, d, i);
		}
	return 0;
}

bool memif_peer_say(const struct memif_peer *peer, uint16_t step, struct memif_message *message,
					int *fd)
{
	uint16_t ring = step - peer->region_count;
	memset(message, 0, sizeof(*message));
	*fd = -1;
	if (step < peer->region_count) {
		message->type = MEMIF_ADD_REGION;
		message->add_region.index = step;
		message->add_region.size = peer->regions[step].size;
		*fd = peer->regions[step].fd;
		return true;
	}
	for (int d = 0; d < MEMIF_DIRECTIONS; d++) {
		if (ring < peer->ring_counts[d]) {
			const struct memif_peer_ring *one = &peer->rings[d][ring];
			message->type = MEMIF_ADD_RING;
			message->add_ring = (struct memif_add_ring){
				.flags = d == MEMIF_S2M ? MEMIF_RING_S2M : 0,
				.index = ring,
				.region = one->region,
				.offset = one->offset,
				.log2_slots = one->log2_slots,
			};
			*fd = one->fd;
			return true;
		}
		ring -= peer->ring_counts[d];
	}
	message->type = MEMIF_CONNECT;
	return !ring;
}
