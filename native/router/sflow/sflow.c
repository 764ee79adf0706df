/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of sampled ports, and samples on their way to the main thread. Main thread. */
#include "router/sflow/sflow.h"

#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "wirespeed/sflow.h"

#include <errno.h>
#include <stdlib.h>

#define OUTPUT_NODE "%-sflow-egress"
static const char INPUT_NODE[] = "sflow";
enum { FIRST_RATE = 10000, FIRST_HEADER = 128 };

/* Independent random sequences; they restart with each setting. */
static void begin_lanes(struct ws_router *router, struct sflow *sflow)
{
	uint32_t rate = sflow->settings.sampling_rate;
	sflow->log_of_rest = rate > 1 ? log1p(-1.0 / rate) : 0;
	for (uint16_t i = 0; i < sflow->worker_count; i++) {
		struct sflow_lane *lane = &sflow->lanes[i];
		lane->random = router->glean_seed + ((uint64_t)i + 1) * 0xd1342543de82ef95u;
		for (int direction = 0; direction < 2; direction++)
			lane->skip[direction] = sflow_gap(lane, sflow->log_of_rest);
	}
}

/* Created when it is first used: routers without sampling need no memory for it. */
static struct sflow *make_state(struct ws_router *router)
{
	struct sflow *made = sflow_of(router);
	if (made)
		return made;
	size_t size = sizeof(*made) + router->worker_count * sizeof(made->lanes[0]);
	made = aligned_alloc(_Alignof(struct sflow), RTE_ALIGN(size, 64));
	if (!made) {
		fail(-ENOMEM, "no memory for samples");
		return NULL;
	}
	memset(made, 0, size);
	made->settings = (struct ws_sflow_settings){FIRST_RATE, FIRST_HEADER, WS_SFLOW_RX};
	made->worker_count = router->worker_count;
	begin_lanes(router, made);
	module_set_state(router, &sflow_module, made);
	return made;
}

static bool is_any_enabled(const struct sflow *sflow)
{
	for (int i = 0; i < WS_MAX_PORTS; i++)
		if (sflow->enabled[i])
			return true;
	return false;
}

/* Set the nodes that the settings and the enabled ports require. */
static int set_nodes(struct ws_router *router, const struct sflow *sflow)
{
	bool takes_rx = sflow->settings.direction & WS_SFLOW_RX,
		 takes_tx = sflow->settings.direction & WS_SFLOW_TX;
	int error = features_set(router, INPUT_NODE, NO_PORT, takes_rx && is_any_enabled(sflow));
	for (uint16_t i = 0; i < (uint16_t)WS_MAX_PORTS && !error; i++)
		error = features_set(router, OUTPUT_NODE, i, takes_tx && sflow->enabled[i]);
	return error;
}

static int check(const struct ws_sflow_settings *wanted)
{
	if (!wanted->sampling_rate || wanted->sampling_rate > WS_SFLOW_MOST_RATE)
		return fail(-EINVAL, "a sampling rate is one packet of 1 to %d, not of %u",
					WS_SFLOW_MOST_RATE, wanted->sampling_rate);
	if (!wanted->header_bytes || wanted->header_bytes > WS_SFLOW_MOST_HEADER)
		return fail(-EINVAL, "a sample has 1 to %d bytes of a packet, not %u", WS_SFLOW_MOST_HEADER,
					wanted->header_bytes);
	if (wanted->direction < WS_SFLOW_RX || wanted->direction > WS_SFLOW_BOTH)
		return fail(-EINVAL, "direction %d does not exist", wanted->direction);
	return 0;
}

int ws_router_sflow_set(struct ws_router *router, const struct ws_sflow_settings *wanted)
{
	int error = check(wanted);
	struct sflow *sflow = error ? NULL : make_state(router);
	if (!sflow)
		return error ? error : -ENOMEM;
	struct ws_sflow_settings before = sflow->settings;
	router_pause(router);
	sflow->settings = *wanted;
	begin_lanes(router, sflow);
	router_resume(router);
	error = wanted->direction == before.direction ? 0 : set_nodes(router, sflow);
	if (error)
		sflow->settings.direction = before.direction;
	return error;
}

void ws_router_sflow(const struct ws_router *router, struct ws_sflow_settings *out,
					 struct ws_sflow_counters *counters)
{
	const struct sflow *sflow = sflow_of(router);
	*out = (struct ws_sflow_settings){FIRST_RATE, FIRST_HEADER, WS_SFLOW_RX};
	*counters = (struct ws_sflow_counters){0};
	if (!sflow)
		return;
	*out = sflow->settings;
	for (uint16_t i = 0; i < sflow->worker_count; i++) {
		counters->sampled += sflow->lanes[i].sampled;
		counters->dropped += sflow->lanes[i].dropped;
	}
}

int ws_router_sflow_enable(struct ws_router *router, uint16_t index, bool on)
{
	int error = router_check_interface(router, index);
	if (!error && router->settings[index].kind != WS_INTERFACE_PORT)
		error = fail(-EINVAL, "%s is not a port; sflow samples ports alone",
					 interface_name(router, index));
	if (!error && ws_router_sflow_is_enabled(router, index) == on)
		error = fail(-EEXIST, "%s is %s already", interface_name(router, index),
					 on ? "sampled" : "not sampled");
	struct sflow *sflow = error ? NULL : make_state(router);
	if (!sflow)
		return error ? error : -ENOMEM;
	__atomic_store_n(&sflow->enabled[index], on, __ATOMIC_RELAXED);
	error = set_nodes(router, sflow);
	if (error)
		__atomic_store_n(&sflow->enabled[index], !on, __ATOMIC_RELAXED);
	return error;
}

int ws_router_sflow_is_enabled(const struct ws_router *router, uint16_t index)
{
	const struct sflow *sflow = sflow_of(router);
	return index < WS_MAX_PORTS && sflow && sflow->enabled[index];
}

/* The port of a packet's receiving interface, which may be a sub-interface, or not on a port. */
static uint16_t port_of(const struct ws_router *router, uint16_t index)
{
	uint16_t parent = index < WS_MAX_INTERFACES ? router->settings[index].parent : index;
	return parent < WS_MAX_PORTS ? parent : UINT16_MAX;
}

static uint32_t take_lane(const struct ws_router *router, struct sflow_lane *lane,
						  struct ws_sflow_sample *out, uint32_t most)
{
	uint32_t head = __atomic_load_n(&lane->head, __ATOMIC_ACQUIRE), tail = lane->tail, count = 0;
	for (; tail != head && count < most; tail++, count++) {
		out[count] = lane->samples[tail % SFLOW_SLOTS];
		out[count].input = port_of(router, out[count].input);
	}
	__atomic_store_n(&lane->tail, tail, __ATOMIC_RELEASE);
	return count;
}

/* Each call begins with another worker, so that a busy one does not delay the others' samples. */
uint32_t ws_router_sflow_take(struct ws_router *router, struct ws_sflow_sample *out, uint32_t most)
{
	struct sflow *sflow = sflow_of(router);
	uint32_t count = 0;
	for (uint16_t i = 0; sflow && i < sflow->worker_count && count < most; i++) {
		uint16_t lane = (uint16_t)((sflow->next_lane + i) % sflow->worker_count);
		count += take_lane(router, &sflow->lanes[lane], out + count, most - count);
	}
	if (sflow)
		sflow->next_lane++;
	return count;
}

static int watch_sflow(struct ws_router *router, uint16_t index, enum interface_change change)
{
	bool is_to_go = change == INTERFACE_LEAVES && ws_router_sflow_is_enabled(router, index);
	return is_to_go ? ws_router_sflow_enable(router, index, false) : 0;
}
INTERFACE_WATCH(watch_sflow)

ROUTER_MODULE_EXTERN(sflow_module, .name = "sflow")
