/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series of packet numbers, one for each stream with a signature that a worker sends. A series goes
 * on where its last user left it, so receivers need not know when one begins. The main thread's.
 */
#pragma once

#include "generator/observe/flow_wire.h"

struct series {
	uint8_t start; /* start number of this generator, to tell its packets from others' */
	uint64_t used[FLOW_SERIES / 64]; /* a bit each */
	uint32_t count;                  /* entries ever used are below it */
	uint32_t sent[FLOW_SERIES];      /* numbers that were used up */
};

/* The tail gets a series, and its next number; -ENOSPC and the reason: all are in use. */
int series_take(struct series *series, struct flow_tail *tail);
void series_give_back(struct series *series, const struct flow_tail *tail);
