/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, stopping and changing what ports send. Everything is built and freed here, on the main
 * thread; the functions named do_… run on the port's worker between two bursts. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/worker.h"
#include "generator/generator.h"

#include <errno.h>
#include <math.h>
#include <rte_cycles.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <string.h>

/* RING_SLOTS: of the rings that dev/ring_port.c makes. */
enum { RING_SLOTS = 4096, FRESH_SPARE = 1024, FRESH_A_WORKER = 1024 };

struct command {
	struct generator_port *port;
	struct traffic *traffic;
	uint32_t stream; /* id */
	double factor;
	bool paused;
	int result;
};

static int ask(struct ws_generator *generator, mailbox_fn *function, struct command *command)
{
	generator_ask(generator, generator_worker_of(generator, command->port->index), function,
				  command);
	return command->result;
}

static int check_port(const struct ws_generator *generator, uint16_t port)
{
	if (port < generator->port_count)
		return 0;
	return fail(-ENODEV, "there is no port %u; there are %u", port, generator->port_count);
}

static int check_factor(double factor)
{
	if (factor > 0 && factor <= 1e9)
		return 0;
	return fail(-EINVAL, "a factor of %g; above 0 to 1e9 is possible", factor);
}

/* ---- the end of traffic */

static void do_detach(void *argument)
{
	struct command *command = argument;
	command->traffic = command->port->traffic;
	command->port->traffic = NULL;
	command->port->active = false;
}

static void do_detach_ended(void *argument)
{
	struct command *command = argument;
	if (!command->port->active)
		do_detach(command);
}

/* Keeps what a detach command brought. */
static void retire(struct ws_generator *generator, const struct command *command)
{
	if (!command->traffic)
		return;
	command->port->attached = false;
	command->traffic->next = generator->retired;
	generator->retired = command->traffic;
}

static void do_ask_home(void *argument)
{
	struct command *command = argument;
	command->result = traffic_is_home(command->traffic);
}

void generator_reap(struct ws_generator *generator)
{
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct command command = {.port = &generator->ports[i]};
		if (!command.port->attached)
			continue;
		ask(generator, do_detach_ended, &command);
		retire(generator, &command);
	}
	for (struct traffic **at = &generator->retired; *at;) {
		struct traffic *traffic = *at;
		struct command command = {.port = &generator->ports[traffic->port], .traffic = traffic};
		if (ask(generator, do_ask_home, &command)) {
			*at = traffic->next;
			traffic_free(traffic);
		} else {
			at = &traffic->next;
		}
	}
}

int ws_generator_stop(struct ws_generator *generator, uint16_t port, uint32_t profile)
{
	(void)profile;
	return ws_generator_stop_port(generator, port);
}

int ws_generator_stop_port(struct ws_generator *generator, uint16_t port)
{
	int error = check_port(generator, port);
	if (error)
		return error;
	struct command command = {.port = &generator->ports[port]};
	ask(generator, do_detach, &command);
	retire(generator, &command);
	generator_reap(generator);
	return 0;
}

/* ---- its beginning */

static bool is_ring(const struct ws_port_info *info)
{
	return !strcmp(info->driver, "net_ring");
}

/* Enough for all TX rings to be full, and the rings of ring ports, with what is in flight. */
static int make_fresh(struct ws_generator *generator)
{
	static uint32_t serial;
	char name[RTE_MEMPOOL_NAMESIZE];
	uint32_t count = workers_count() * FRESH_A_WORKER, frame = 0;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct ws_port_info info;
		int error = ws_port_info(i, &info);
		if (error)
			return error;
		count += (is_ring(&info) ? RING_SLOTS : info.tx_descriptors) + FRESH_SPARE;
		frame = RTE_MAX(frame, info.mtu + 22u);
	}
	snprintf(name, sizeof(name), "fresh.%u", serial++);
	generator->fresh = pool_create(name, count, frame);
	if (!generator->fresh)
		return fail(-ENOMEM, "no memory for %u packets of %u bytes: give the generator more", count,
					frame);
	return 0;
}

static void do_attach(void *argument)
{
	struct command *command = argument;
	struct generator_port *port = command->port;
	command->traffic->origin = rte_rdtsc();
	port->traffic = command->traffic;
	port->active = true;
}

static void do_ask_active(void *argument)
{
	struct command *command = argument;
	command->result = command->port->active;
}

int ws_generator_start(struct ws_generator *generator, uint16_t index, uint32_t profile,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s, uint64_t start_tsc)
{
	(void)profile, (void)start_tsc;
	struct ws_port_info info;
	int error = check_port(generator, index);
	if (!error)
		error = check_factor(factor);
	if (!error && isnan(duration_s))
		error = fail(-EINVAL, "the duration is no number");
	if (!error)
		error = ws_port_info(index, &info);
	if (error)
		return error;
	struct command command = {.port = &generator->ports[index]};
	if (ask(generator, do_ask_active, &command))
		return fail(-EBUSY, "port %s sends already; stop it first", port_name(index));
	generator_reap(generator);
	struct traffic *traffic =
		traffic_create(index, !is_ring(&info), streams, count, factor, duration_s, &error);
	if (!traffic)
		return error;
	if (traffic_needs_fresh(traffic) && !generator->fresh)
		error = make_fresh(generator);
	if (error) {
		traffic_free(traffic);
		return error;
	}
	traffic->fresh = generator->fresh;
	command = (struct command){.port = &generator->ports[index], .traffic = traffic};
	command.port->attached = true;
	return ask(generator, do_attach, &command);
}

/* ---- changes while it sends */

static double elapsed(const struct traffic *traffic)
{
	uint64_t now = traffic->paused ? traffic->pause : rte_rdtsc();
	return (double)(now - traffic->origin);
}

static void do_pause(void *argument)
{
	const struct command *command = argument;
	struct traffic *traffic = command->port->traffic;
	if (traffic->paused == command->paused)
		return;
	uint64_t now = rte_rdtsc();
	if (command->paused)
		traffic->pause = now;
	else
		traffic->origin += now - traffic->pause;
	traffic->paused = command->paused;
}

static void do_set_factor(void *argument)
{
	const struct command *command = argument;
	struct traffic *traffic = command->port->traffic;
	schedule_set_factor(traffic->schedule, elapsed(traffic), command->factor);
}

/* The index of the command's stream. */
static int64_t find_stream(struct command *command)
{
	int64_t found = schedule_find(command->port->traffic->schedule, command->stream);
	command->result = found < 0 ? -ENOENT : 0;
	return found;
}

static void do_set_stream_factor(void *argument)
{
	struct command *command = argument;
	struct traffic *traffic = command->port->traffic;
	int64_t stream = find_stream(command);
	if (stream >= 0)
		schedule_set_stream_factor(traffic->schedule, elapsed(traffic), (uint32_t)stream,
								   command->factor);
}

static void do_pause_stream(void *argument)
{
	struct command *command = argument;
	struct traffic *traffic = command->port->traffic;
	int64_t stream = find_stream(command);
	if (stream >= 0)
		schedule_pause_stream(traffic->schedule, elapsed(traffic), (uint32_t)stream,
							  command->paused);
}

/* The function is called when there is traffic to change. */
struct change {
	struct command command;
	mailbox_fn *function;
};

static void do_change(void *argument)
{
	struct change *change = argument;
	if (change->command.port->active)
		change->function(&change->command);
	else
		change->command.result = -ENOTCONN;
}

static int apply(struct ws_generator *generator, uint16_t index, mailbox_fn *function,
				 struct command command)
{
	int error = check_port(generator, index);
	if (error)
		return error;
	struct change change = {command, function};
	change.command.port = &generator->ports[index];
	generator_ask(generator, generator_worker_of(generator, index), do_change, &change);
	switch (change.command.result) {
	case -ENOTCONN:
		return fail(-ENOTCONN, "port %s sends nothing; start it first", port_name(index));
	case -ENOENT:
		return fail(-ENOENT, "port %s has no stream %u", port_name(index), command.stream);
	default:
		return change.command.result;
	}
}

int ws_generator_pause(struct ws_generator *generator, uint16_t port, uint32_t profile, bool paused)
{
	(void)profile;
	return apply(generator, port, do_pause, (struct command){.paused = paused});
}

int ws_generator_set_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
							double factor)
{
	(void)profile;
	int error = check_factor(factor);
	return error ? error
				 : apply(generator, port, do_set_factor, (struct command){.factor = factor});
}

int ws_generator_pause_stream(struct ws_generator *generator, uint16_t port, uint32_t profile,
							  uint32_t stream_id, bool paused)
{
	(void)profile;
	return apply(generator, port, do_pause_stream,
				 (struct command){.stream = stream_id, .paused = paused});
}

int ws_generator_set_stream_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
								   uint32_t stream_id, double factor)
{
	(void)profile;
	int error = check_factor(factor);
	return error ? error
				 : apply(generator, port, do_set_stream_factor,
						 (struct command){.stream = stream_id, .factor = factor});
}
