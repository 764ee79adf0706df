/* SPDX-License-Identifier: Apache-2.0 */
/* Captures, for the main thread: a ring for each worker of the ports that are captured. */
#include "wirespeed/captures.h"
#include "dev/error.h"
#include "dev/port.h"
#include "generator/control/generator.h"
#include "wire/ethernet.h"
#include "wirespeed/ports.h"

#include <errno.h>

struct capture_change {
	struct generator_worker *worker;
	struct capture_ring *ring;
	uint32_t capture;
	uint64_t missed;
};

static void do_set_capture(void *argument)
{
	const struct capture_change *change = argument;
	captures_set(&change->worker->watch.captures, change->capture, change->ring);
}

static void do_read_missed(void *argument)
{
	struct capture_change *change = argument;
	change->missed = change->ring->missed;
}

static void set_ring(struct ws_generator *generator, uint16_t worker, uint32_t capture,
					 struct capture_ring *ring)
{
	struct capture_change change = {
		.worker = &generator->workers[worker], .ring = ring, .capture = capture};
	generator_ask(generator, worker, do_set_capture, &change);
}

static int check_capture(const struct ws_generator *generator, int32_t capture)
{
	if (capture >= 0 && capture < WS_MAX_CAPTURES && generator->captures >> capture & 1)
		return 0;
	return fail(-ENOENT, "there is no capture %d; list the captures for their numbers", capture);
}

static int remove_capture(struct ws_generator *generator, uint32_t capture)
{
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		struct capture_ring *ring = generator->workers[i].watch.captures.rings[capture];
		if (!ring)
			continue;
		set_ring(generator, i, capture, NULL);
		capture_free(ring);
	}
	generator->captures &= ~(1u << capture);
	return 0;
}

/* The longest frame of any of the capture's ports. */
static int find_longest(const struct ws_generator *generator, uint32_t ports, uint16_t *longest)
{
	*longest = 0;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct ws_port_info info;
		int error = ports >> i & 1 ? ws_port_info(i, &info) : 0;
		if (error)
			return error;
		if (ports >> i & 1)
			*longest = RTE_MAX(*longest, (uint16_t)(info.mtu + ETHERNET_MAX_LEN));
	}
	return 0;
}

int ws_generator_capture_start(struct ws_generator *generator,
							   const struct ws_capture_config *config)
{
	uint32_t ports = config->tx_ports | config->rx_ports;
	uint32_t capture = (uint32_t)__builtin_ctz(~generator->captures);
	uint16_t longest;
	if (!ports || (uint64_t)ports >> generator->port_count)
		return fail(-EINVAL, "a capture on ports 0x%x; ports 0 to %u are there", ports,
					generator->port_count - 1);
	if (config->what != WS_CAPTURE_ALL && config->what != WS_CAPTURE_CONTROL)
		return fail(-EINVAL, "capture type %d does not exist", config->what);
	if (capture >= WS_MAX_CAPTURES)
		return fail(-EBUSY, "%d captures run already; stop one", WS_MAX_CAPTURES);
	int error = find_longest(generator, ports, &longest);
	if (error)
		return error;
	generator->captures |= 1u << capture;
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		if (!(ports & generator->workers[i].port_mask))
			continue;
		struct capture_ring *ring = capture_create(config, longest);
		if (!ring) {
			remove_capture(generator, capture);
			return config->slots ? -ENOMEM : -EINVAL;
		}
		set_ring(generator, i, capture, ring);
	}
	return (int)capture;
}

/* The ring with the oldest packet of all; NULL: all rings are empty. */
static struct capture_ring *oldest_ring(const struct ws_generator *generator, int32_t capture)
{
	struct capture_ring *best = NULL;
	uint64_t since = UINT64_MAX;
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		struct capture_ring *ring = generator->workers[i].watch.captures.rings[capture];
		const struct ws_captured *oldest = ring ? capture_oldest(ring) : NULL;
		if (oldest && oldest->tsc < since) {
			since = oldest->tsc;
			best = ring;
		}
	}
	return best;
}

int ws_generator_capture_read(struct ws_generator *generator, int32_t capture,
							  struct ws_captured *out, uint32_t max, uint8_t *bytes,
							  uint64_t bytes_len)
{
	uint32_t count = 0;
	uint64_t used = 0;
	int error = check_capture(generator, capture);
	if (error)
		return error;
	while (count < max) {
		struct capture_ring *ring = oldest_ring(generator, capture);
		if (!ring || !capture_take(ring, &out[count], bytes + used, bytes_len - used))
			break;
		used += out[count++].byte_count;
	}
	return (int)count;
}

int64_t ws_generator_capture_missed(struct ws_generator *generator, int32_t capture)
{
	int64_t missed = 0;
	int error = check_capture(generator, capture);
	for (uint16_t i = 0; !error && i < generator->worker_count; i++) {
		struct capture_change change = {.ring =
											generator->workers[i].watch.captures.rings[capture]};
		if (!change.ring)
			continue;
		generator_ask(generator, i, do_read_missed, &change);
		missed += (int64_t)change.missed;
	}
	return error ? error : missed;
}

int ws_generator_capture_stop(struct ws_generator *generator, int32_t capture)
{
	int error = check_capture(generator, capture);
	return error ? error : remove_capture(generator, (uint32_t)capture);
}
