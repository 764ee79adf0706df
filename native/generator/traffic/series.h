/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series of packet numbers, one per stream with a signature and worker. A series continues where
 * its last user stopped, so receivers need no notice of a start. Main thread only.
 */
#pragma once

#include "generator/observe/flow_wire.h"

struct series {
	uint8_t start; /* start number of this generator, which distinguishes its packets from those of
					  others */
	uint64_t used[FLOW_SERIES / 64]; /* a bit per series */
	uint32_t count;                  /* all series that were ever in use are below this number */
	uint32_t sent[FLOW_SERIES];      /* next number of each series */
};

/* Fills in the tail's series and next number; -ENOSPC with an error text if all series are in use.
 */
int series_take(struct series *series, struct flow_tail *tail);
void series_give_back(struct series *series, const struct flow_tail *tail);
