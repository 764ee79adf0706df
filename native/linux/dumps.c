/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/dumps.h"

#include <string.h>

enum { REPEATS_AT_ONCE = 3, MOST_DOUBLINGS = 6 };

static const uint64_t FIRST_PAUSE_NS = 100000000; /* the longest pause is 64 times as long */
/* Minimum time between two dumps of all routes that kernel events cause. */
static const uint64_t ROUTES_PAUSE_NS = 1000000000;

enum linux_dump dumps_next(const struct dumps *dumps, uint32_t wanted, uint64_t now_ns)
{
	for (int i = 0; i < DUMP_COUNT && !dumps->is_running; i++)
		if (wanted & 1u << i && now_ns >= dumps->not_before_ns[i])
			return (enum linux_dump)i;
	return DUMP_COUNT;
}

void dumps_begin(struct dumps *dumps, enum linux_dump dump)
{
	dumps->is_running = true;
	dumps->is_interrupted = false;
	dumps->running = dump;
}

static uint64_t pause_after(uint32_t failures)
{
	uint32_t doublings = failures - 1;
	return FIRST_PAUSE_NS << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS);
}

bool dumps_end(struct dumps *dumps, bool refused, uint64_t now_ns)
{
	enum linux_dump dump = dumps->running;
	dumps->is_running = false;
	if (!refused && !dumps->is_interrupted) {
		dumps->failures[dump] = 0;
		if (dump == DUMP_ROUTES6)
			dumps->not_before_ns[DUMP_ROUTES4] = dumps->not_before_ns[DUMP_ROUTES6] =
				now_ns + ROUTES_PAUSE_NS;
		return true;
	}
	dumps->failures[dump]++;
	if (refused || dumps->failures[dump] > REPEATS_AT_ONCE)
		dumps->not_before_ns[dump] = now_ns + pause_after(dumps->failures[dump]);
	return false;
}

void dumps_hurry(struct dumps *dumps)
{
	memset(dumps->not_before_ns, 0, sizeof(dumps->not_before_ns));
}
