/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series of packet numbers, one per stream with a signature and worker. A series continues where
 * its last user stopped, so receivers need no notice of a start. Main thread only.
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
