/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interfaces in the order of their next timed task (a heap), so that a poll visits only those
 * that are due. Main thread.
 */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeroes: nothing is due. */
struct interface_due {
	uint16_t count;
	uint16_t heap[WS_MAX_INTERFACES + 1]; /* from 1 on, the earliest first */
	uint16_t place[WS_MAX_INTERFACES];    /* place in the heap; 0: not in it */
	uint64_t tsc[WS_MAX_INTERFACES];
	uint64_t looks; /* number of entries inspected, for tests */
};

/* Replaces the interface's previous time. */
void interface_due_at(struct interface_due *due, uint16_t index, uint64_t tsc);
void interface_due_never(struct interface_due *due, uint16_t index);
/* Take an interface that is due by now; false if there is none. */
bool interface_due_take(struct interface_due *due, uint64_t now, uint16_t *index);

static inline bool interface_is_due(const struct interface_due *due, uint16_t index)
{
	return due->place[index];
}
