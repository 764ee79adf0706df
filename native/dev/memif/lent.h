/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a client that both ends use in place, without copies: the second region of each of its
 * connections, kept across connections. The server may write to it at any time, so nothing in it is
 * trusted: the mbuf, which has a packet's place and length, is elsewhere.
 */
#pragma once

#include "dev/memif/region.h"

#include <rte_mempool.h>
#include <stdint.h>

enum {
	MEMIF_LENT_BYTES = 16 << 20, /* for packets to send */
	MEMIF_LENT_SPARE = 2048,     /* received packets that have not been freed yet */
	MEMIF_LOANS = 64,
};

struct memif_lent {
	struct memif_region region;
	struct rte_mempool *pool; /* of packets to receive into */
	struct memif_loan {
		uint64_t at, size;
	} loans[MEMIF_LOANS]; /* sorted by address */
	uint16_t loan_count;
};

/* `slots`: total slots of the rings to receive from. Returns 0 or a negative errno. */
int memif_lent_open(struct memif_lent *lent, uint16_t port, uint32_t slots);
void memif_lent_close(struct memif_lent *lent);

/* Offset of an address in the region; beyond its end if the address is outside. */
static inline uint64_t memif_lent_offset(const struct memif_lent *lent, const void *memory)
{
	return (uint64_t)((const uint8_t *)memory - lent->region.base);
}

/* Memory for packets to send, with its end; NULL if there is not enough. Main thread. */
void *memif_lent_take(struct memif_lent *lent, uint64_t bytes);
void memif_lent_give_back(struct memif_lent *lent, const void *memory);
