/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of the order of a latency flow's packets since it was started.
 *
 * Each worker tells it of the packets that it saw itself, and is the only one who writes that; the
 * main thread merges what they tell. Where only one worker saw the flow, that is what it counted.
 * Where several did, none can tell a hole from what another one got, so
 *
 *   lost       is what the sequence came to, less what came: exact when nothing is under way,
 *              and off by what came between the workers' answers while packets come in;
 *   duplicate  is what workers saw twice themselves, and what came beyond the sequence; one that
 *              came by another worker than the first may hide one that is lost;
 *   reordered  is told among the packets of one worker, since nothing orders its queues and
 * others'; too high   is at most so many holes: no more than are lost, nor than were seen.
 */
#pragma once

#include <stdint.h>

struct ws_latency;

struct flow_order {
	uint64_t reached; /* how many sequence numbers there are up to the highest that came */
	uint64_t packets, dropped, duplicate, out_of_order, seq_too_high, seq_too_low;
};

/* `base`: what the sequence had come to when the counters were reset. */
struct flow_order flow_order_merge(const struct flow_order *seen, uint16_t count, uint64_t base);
/* Add the counts of another start of the same flow. */
void flow_order_add(struct flow_order *sum, const struct flow_order *other);
/* Into the flow's latency. */
void flow_order_tell(const struct flow_order *order, struct ws_latency *out);
