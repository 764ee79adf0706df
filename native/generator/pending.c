/* SPDX-License-Identifier: Apache-2.0 */
/* What the seam promises and the core gets next: every call is refused. */
#include "dev/error.h"
#include "wirespeed.h"

#include <errno.h>

int ws_generator_profiles(struct ws_generator *generator, uint16_t port,
						  struct ws_profile_state *out, uint32_t max)
{
	(void)generator, (void)port, (void)out, (void)max;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
					   uint32_t count, struct ws_flow *out, uint64_t *tsc)
{
	(void)generator, (void)kind, (void)ids, (void)count, (void)out, (void)tsc;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_reset_flow(struct ws_generator *generator, int32_t kind, uint32_t id)
{
	(void)generator, (void)kind, (void)id;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_latency(struct ws_generator *generator, uint32_t id, struct ws_latency *out)
{
	(void)generator, (void)id, (void)out;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_flow_faults(struct ws_generator *generator, struct ws_flow_faults *out)
{
	(void)generator, (void)out;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_capture_start(struct ws_generator *generator,
							   const struct ws_capture_config *config)
{
	(void)generator, (void)config;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_capture_read(struct ws_generator *generator, int32_t capture,
							  struct ws_captured *out, uint32_t max, uint8_t *bytes,
							  uint64_t bytes_len)
{
	(void)generator, (void)capture, (void)out, (void)max, (void)bytes, (void)bytes_len;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int64_t ws_generator_capture_missed(struct ws_generator *generator, int32_t capture)
{
	(void)generator, (void)capture;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_capture_stop(struct ws_generator *generator, int32_t capture)
{
	(void)generator, (void)capture;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_push(struct ws_generator *generator, uint16_t port, const struct ws_push *packets,
					  uint32_t count)
{
	(void)generator, (void)port, (void)packets, (void)count;
	return fail(-ENOTSUP, "the core cannot do this yet");
}

int ws_generator_push_left(struct ws_generator *generator, uint16_t port)
{
	(void)generator, (void)port;
	return fail(-ENOTSUP, "the core cannot do this yet");
}
