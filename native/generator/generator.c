/* SPDX-License-Identifier: Apache-2.0 */
/* Making, starting and ending a generator. */
#include "generator/generator.h"

#include "dev/error.h"
#include "dev/port.h"
#include "dev/worker.h"

#include <errno.h>
#include <stdlib.h>

struct ws_generator *ws_generator_create(void)
{
	struct ws_generator *generator = aligned_alloc(64, sizeof(*generator));
	if (!generator) {
		fail(-ENOMEM, "no memory for the generator");
		return NULL;
	}
	*generator =
		(struct ws_generator){.port_count = ports_count(), .worker_count = workers_count()};
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct generator_worker *worker = &generator->workers[i % generator->worker_count];
		generator->ports[i].index = i;
		worker->ports[worker->port_count++] = &generator->ports[i];
	}
	return generator;
}

int ws_generator_start_workers(struct ws_generator *generator)
{
	int error = workers_launch(generator_worker_run, generator);
	generator->running = !error;
	return error;
}

void ws_generator_destroy(struct ws_generator *generator)
{
	if (generator->running)
		workers_stop();
	free(generator);
}

static int not_yet(void)
{
	return fail(-ENOTSUP, "this build of the generator does not send yet");
}

int ws_generator_start(struct ws_generator *generator, uint16_t port,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s)
{
	(void)generator, (void)port, (void)streams, (void)count, (void)factor, (void)duration_s;
	return not_yet();
}

int ws_generator_stop(struct ws_generator *generator, uint16_t port)
{
	(void)generator, (void)port;
	return 0;
}

int ws_generator_pause(struct ws_generator *generator, uint16_t port, bool paused)
{
	(void)generator, (void)port, (void)paused;
	return not_yet();
}

int ws_generator_set_factor(struct ws_generator *generator, uint16_t port, double factor)
{
	(void)generator, (void)port, (void)factor;
	return not_yet();
}

int ws_generator_pause_stream(struct ws_generator *generator, uint16_t port, uint32_t stream_id,
							  bool paused)
{
	(void)generator, (void)port, (void)stream_id, (void)paused;
	return not_yet();
}

int ws_generator_set_stream_factor(struct ws_generator *generator, uint16_t port,
								   uint32_t stream_id, double factor)
{
	(void)generator, (void)port, (void)stream_id, (void)factor;
	return not_yet();
}
