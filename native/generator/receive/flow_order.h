/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequence statistics of a latency flow since its start.
 *
 * Each worker counts the packets that it saw; the main thread merges the counts. If one worker saw
 * the flow, its counts are the result. If several did, no worker can tell a gap from packets that
 * another one received. Then
 *
 *   lost       is the length of the sequence minus the packets received: exact when nothing is
 *              under way, else off by the packets between the workers' answers;
 *   duplicate  counts packets that one worker saw twice, and packets beyond the sequence. A
 *              duplicate at another worker may hide a lost packet;
 *   reordered  counts within each worker, since queues have no common order;
 *   too high   is the smaller of the gaps lost and the gaps seen.
 */
#pragma once

#include <stdint.h>

struct ws_latency;

struct flow_order {
	uint64_t reached; /* sequence numbers up to the highest received one */
	uint64_t packets, dropped, duplicate, out_of_order, seq_too_high, seq_too_low;
};

/* `base`: the length of the sequence at the last reset. */
struct flow_order flow_order_merge(const struct flow_order *seen, uint16_t count, uint64_t base);
/* Add the counts of another start of the same flow. */
void flow_order_add(struct flow_order *sum, const struct flow_order *other);
/* Write the statistics to the flow's latency. */
void flow_order_tell(const struct flow_order *order, struct ws_latency *out);
