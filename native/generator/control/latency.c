/* SPDX-License-Identifier: Apache-2.0 */
/* Latency and order of flows, for the main thread: the workers' results, merged. */
#include "dev/error.h"
#include "generator/control/generator.h"
#include "generator/receive/flow_meter.h"
#include "generator/traffic/traffic.h"
#include "wirespeed/flows.h"

#include <rte_cycles.h>
#include <string.h>

/* A flow's histograms take 30 kB: copying more of them at once would keep a worker from its ports.
 */
enum { AT_ONCE = 8 };

struct inquiry {
	struct flow_meter *meter;
	const uint32_t *ids;
	uint32_t count;
	uint8_t start;
	struct flow_order orders[AT_ONCE];
	struct ws_latency *latency;
};

/* ---- on the worker */

static void do_read_orders(void *argument)
{
	struct inquiry *inquiry = argument;
	for (uint32_t i = 0; i < inquiry->count; i++)
		inquiry->orders[i] = flow_meter_order(inquiry->meter, inquiry->ids[i]);
}

static void do_begin(void *argument)
{
	const struct inquiry *inquiry = argument;
	do_read_orders(argument);
	for (uint32_t i = 0; i < inquiry->count; i++)
		flow_meter_begin(inquiry->meter, inquiry->ids[i], inquiry->start);
}

static void do_reset(void *argument)
{
	const struct inquiry *inquiry = argument;
	do_read_orders(argument);
	for (uint32_t i = 0; i < inquiry->count; i++)
		flow_meter_reset(inquiry->meter, inquiry->ids[i]);
}

static void do_read_latency(void *argument)
{
	struct inquiry *inquiry = argument;
	uint64_t now = rte_rdtsc();
	for (uint32_t i = 0; i < inquiry->count; i++)
		flow_meter_read(inquiry->meter, inquiry->ids[i], now, &inquiry->latency[i]);
}

/* ---- on the main thread */

/* Ask all workers for the order of at most AT_ONCE flows; `merged` becomes the sum. */
static void ask_orders(struct ws_generator *generator, mailbox_fn *function, struct inquiry of,
					   struct flow_order *merged)
{
	struct inquiry inquiries[WS_MAX_WORKERS];
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		inquiries[i] = of;
		inquiries[i].meter = generator->workers[i].watch.meter;
	}
	generator_ask_all(generator, function, inquiries, sizeof(inquiries[0]));
	for (uint32_t j = 0; j < of.count; j++) {
		struct flow_order seen[WS_MAX_WORKERS];
		for (uint16_t i = 0; i < generator->worker_count; i++)
			seen[i] = inquiries[i].orders[j];
		merged[j] =
			flow_order_merge(seen, generator->worker_count, generator->past[of.ids[j]].base);
	}
}

void generator_begin_flows(struct ws_generator *generator, const struct traffic *traffic)
{
	struct flow_order merged;
	for (uint32_t i = 0; i < traffic->count; i++) {
		const struct flow_tail *tail = &traffic->senders[i].tail;
		uint32_t id = tail->id;
		if (tail->magic != FLOW_MAGIC_LATENCY)
			continue;
		ask_orders(generator, do_begin,
				   (struct inquiry){.ids = &id, .count = 1, .start = tail->start}, &merged);
		flow_order_add(&generator->past[id].ended, &merged);
		generator->past[id].base = 0;
	}
}

void generator_reset_latency(struct ws_generator *generator, const uint32_t *ids, uint32_t count)
{
	struct flow_order merged[AT_ONCE];
	for (uint32_t first = 0; first < count; first += AT_ONCE) {
		uint32_t now = RTE_MIN(count - first, (uint32_t)AT_ONCE);
		ask_orders(generator, do_reset, (struct inquiry){.ids = ids + first, .count = now}, merged);
		for (uint32_t i = 0; i < now; i++)
			generator->past[ids[first + i]] = (struct flow_past){.base = merged[i].reached};
	}
}

int generator_check_flows(int32_t kind, const uint32_t *ids, uint32_t count)
{
	uint32_t limit = kind == WS_FLOW_STATS ? WS_FLOWS : WS_LATENCY_FLOWS;
	if (kind != WS_FLOW_STATS && kind != WS_FLOW_LATENCY)
		return fail(-EINVAL, "flow type %d does not exist", kind);
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] >= limit)
			return fail(-EINVAL, "there is no flow %u; 0 to %u are possible", ids[i], limit - 1);
	return 0;
}

static void find_range(struct ws_latency *seen)
{
	for (uint32_t i = WS_HDR_COUNTS; i--;)
		if (seen->hdr[i]) {
			seen->hdr_first = i;
			seen->hdr_end = seen->hdr_end ? seen->hdr_end : i + 1;
		}
}

static void read_some(struct ws_generator *generator, const uint32_t *ids, uint32_t count,
					  struct ws_latency *out)
{
	static struct ws_latency seen[AT_ONCE];
	struct flow_order merged[AT_ONCE];
	struct inquiry inquiry = {.ids = ids, .count = count, .latency = seen};
	ask_orders(generator, do_read_orders, inquiry, merged);
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		inquiry.meter = generator->workers[i].watch.meter;
		generator_ask(generator, i, do_read_latency, &inquiry);
		for (uint32_t j = 0; j < count; j++)
			flow_latency_add(&out[j], &seen[j]);
	}
	for (uint32_t j = 0; j < count; j++) {
		flow_order_tell(&generator->past[ids[j]].ended, &out[j]);
		flow_order_tell(&merged[j], &out[j]);
		find_range(&out[j]);
	}
}

int ws_generator_latency(struct ws_generator *generator, const uint32_t *ids, uint32_t count,
						 struct ws_latency *out)
{
	int error = generator_check_flows(WS_FLOW_LATENCY, ids, count);
	if (error)
		return error;
	memset(out, 0, count * sizeof(*out));
	for (uint32_t first = 0; first < count; first += AT_ONCE)
		read_some(generator, ids + first, RTE_MIN(count - first, (uint32_t)AT_ONCE), out + first);
	return 0;
}
