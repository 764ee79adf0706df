/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/receive/flow_order.h"
#include "wirespeed/flows.h"

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void flow_order_add(struct flow_order *sum, const struct flow_order *other)
{
	sum->packets += other->packets;
	sum->dropped += other->dropped;
	sum->duplicate += other->duplicate;
	sum->out_of_order += other->out_of_order;
	sum->seq_too_high += other->seq_too_high;
	sum->seq_too_low += other->seq_too_low;
}

struct flow_order flow_order_merge(const struct flow_order *seen, uint16_t count, uint64_t base)
{
	struct flow_order all = {0};
	uint16_t witnesses = 0;
	for (uint16_t i = 0; i < count; i++) {
		/* A worker that saw no packet reports the value at the last reset, or an older one. */
		all.reached = seen[i].reached > all.reached ? seen[i].reached : all.reached;
		witnesses += seen[i].packets > 0;
		flow_order_add(&all, &seen[i]);
	}
	/* Nothing reached: the packets were counted without their numbers. */
	if (witnesses < 2 || !all.reached)
		return all;
	uint64_t span = all.reached - base, once = all.packets - all.duplicate;
	uint64_t surplus = once > span ? once - span : 0;
	all.dropped = once < span ? span - once : 0;
	all.duplicate += surplus;
	all.seq_too_low += surplus;
	all.seq_too_high = lower(all.seq_too_high, all.dropped);
	return all;
}

void flow_order_tell(const struct flow_order *order, struct ws_latency *out)
{
	out->dropped += order->dropped;
	out->duplicate += order->duplicate;
	out->out_of_order += order->out_of_order;
	out->seq_too_high += order->seq_too_high;
	out->seq_too_low += order->seq_too_low;
}
