/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, stopping and changing what ports send. Everything is built and freed here, on the main
 * thread; the functions named do_… run on the port's worker between two bursts. */
#include "dev/error.h"
#include "dev/pool.h"
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
	uint32_t profile, stream; /* stream: its id */
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

/* Takes out what `wanted` says, and chains it up. */
static void detach(struct command *command,
				   bool (*wanted)(const struct command *command, const struct traffic *traffic))
{
	for (struct traffic **at = &command->port->traffic; *at;) {
		struct traffic *traffic = *at;
		if (!wanted(command, traffic)) {
			at = &traffic->next_on_port;
			continue;
		}
		*at = traffic->next_on_port;
		traffic->next_on_port = command->traffic;
		command->traffic = traffic;
	}
}

static bool is_of_profile(const struct command *command, const struct traffic *traffic)
{
	return traffic->profile == command->profile;
}

static bool is_any(const struct command *command, const struct traffic *traffic)
{
	(void)command, (void)traffic;
	return true;
}

static bool has_ended(const struct command *command, const struct traffic *traffic)
{
	(void)command;
	return !traffic->active;
}

static void do_detach_profile(void *command)
{
	detach(command, is_of_profile);
}

static void do_detach_all(void *command)
{
	detach(command, is_any);
}

static void do_detach_ended(void *command)
{
	detach(command, has_ended);
}

static void ask_to_detach(struct ws_generator *generator, mailbox_fn *function,
						  struct command command)
{
	ask(generator, function, &command);
	for (struct traffic *one = command.traffic; one; one = one->next_on_port)
		one->attached = false;
}

static void do_ask_home(void *argument)
{
	struct command *command = argument;
	command->result = traffic_is_home(command->traffic);
}

static bool is_home(struct ws_generator *generator, struct traffic *traffic)
{
	struct command command = {.port = &generator->ports[traffic->port], .traffic = traffic};
	return ask(generator, do_ask_home, &command);
}

void generator_reap(struct ws_generator *generator)
{
	uint32_t attached = 0;
	for (const struct traffic *one = generator->traffic; one; one = one->next)
		attached |= one->attached ? 1u << one->port : 0;
	for (uint16_t i = 0; i < generator->port_count; i++)
		if (attached >> i & 1)
			ask_to_detach(generator, do_detach_ended,
						  (struct command){.port = &generator->ports[i]});
	for (struct traffic **at = &generator->traffic; *at;) {
		struct traffic *traffic = *at;
		if (!traffic->attached && is_home(generator, traffic)) {
			*at = traffic->next;
			traffic_free(traffic);
		} else {
			at = &traffic->next;
		}
	}
}

static int stop(struct ws_generator *generator, uint16_t port, mailbox_fn *detach_fn,
				uint32_t profile)
{
	int error = check_port(generator, port);
	if (error)
		return error;
	ask_to_detach(generator, detach_fn,
				  (struct command){.port = &generator->ports[port], .profile = profile});
	generator_reap(generator);
	return 0;
}

int ws_generator_stop(struct ws_generator *generator, uint16_t port, uint32_t profile)
{
	return stop(generator, port, do_detach_profile, profile);
}

int ws_generator_stop_port(struct ws_generator *generator, uint16_t port)
{
	return stop(generator, port, do_detach_all, 0);
}

/* ---- its beginning */

static bool is_ring(const struct ws_port_info *info)
{
	return !strcmp(info->driver, "net_ring");
}

/* Enough for all TX rings to be full, and the rings of ring ports, with what is in flight. */
int generator_make_fresh(struct ws_generator *generator)
{
	uint32_t count = workers_count() * FRESH_A_WORKER, frame = 0;
	if (generator->fresh)
		return 0;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct ws_port_info info;
		int error = ws_port_info(i, &info);
		if (error)
			return error;
		count += (is_ring(&info) ? RING_SLOTS : info.tx_descriptors) + FRESH_SPARE;
		frame = RTE_MAX(frame, info.mtu + 22u);
	}
	generator->fresh = pool_create("fresh", count, frame);
	if (!generator->fresh)
		return fail(-ENOMEM, "no memory for %u packets of %u bytes: give the generator more", count,
					frame);
	return 0;
}

static void do_attach(void *argument)
{
	struct command *command = argument;
	struct generator_port *port = command->port;
	struct traffic *traffic = command->traffic;
	traffic->origin = traffic->origin ? traffic->origin : rte_rdtsc();
	traffic->active = true;
	traffic->next_on_port = port->traffic;
	port->traffic = traffic;
}

static bool is_sending(const struct ws_generator *generator, uint16_t port, uint32_t profile)
{
	for (const struct traffic *one = generator->traffic; one; one = one->next)
		if (one->attached && one->port == port && one->profile == profile)
			return true;
	return false;
}

/* Looking at what is received goes on after the last flow has ended, for what is under way. */
static void prepare_meters(struct ws_generator *generator, const struct traffic *started)
{
	bool on = started->counts_flows;
	for (const struct traffic *one = generator->traffic; one; one = one->next)
		on |= one->attached && one->counts_flows;
	generator_set_meters(generator, on);
	if (started->has_latency)
		generator_begin_flows(generator, started);
}

int ws_generator_start(struct ws_generator *generator, uint16_t index, uint32_t profile,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s, uint64_t start_tsc)
{
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
	generator_reap(generator);
	if (is_sending(generator, index, profile))
		return fail(-EBUSY, "port %s sends already; stop it first", port_name(index));
	struct traffic_config config = {
		.port = index,
		.profile = profile,
		.by_reference = !is_ring(&info),
		.flow_start = ++generator->starts,
		.flows = generator->ports[index].flows,
		.factor = factor,
		.duration_s = duration_s,
	};
	struct traffic *traffic = traffic_create(&config, streams, count, &error);
	if (!traffic)
		return error;
	if (traffic_needs_fresh(traffic))
		error = generator_make_fresh(generator);
	if (error) {
		traffic_free(traffic);
		return error;
	}
	prepare_meters(generator, traffic);
	traffic->fresh = generator->fresh;
	traffic->origin = start_tsc;
	traffic->attached = true;
	traffic->next = generator->traffic;
	generator->traffic = traffic;
	struct command command = {.port = &generator->ports[index], .traffic = traffic};
	return ask(generator, do_attach, &command);
}

/* ---- changes while it sends */

static double elapsed(const struct traffic *traffic)
{
	uint64_t now = traffic->paused ? traffic->pause : rte_rdtsc();
	return traffic_time(traffic, now);
}

static void do_pause(void *argument)
{
	const struct command *command = argument;
	struct traffic *traffic = command->traffic;
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
	struct traffic *traffic = command->traffic;
	schedule_set_factor(traffic->schedule, elapsed(traffic), command->factor);
}

/* The index of the command's stream. */
static int64_t find_stream(struct command *command)
{
	int64_t found = schedule_find(command->traffic->schedule, command->stream);
	command->result = found < 0 ? -ENOENT : 0;
	return found;
}

static void do_set_stream_factor(void *argument)
{
	struct command *command = argument;
	struct traffic *traffic = command->traffic;
	int64_t stream = find_stream(command);
	if (stream >= 0)
		schedule_set_stream_factor(traffic->schedule, elapsed(traffic), (uint32_t)stream,
								   command->factor);
}

static void do_pause_stream(void *argument)
{
	struct command *command = argument;
	struct traffic *traffic = command->traffic;
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
	struct command *command = &change->command;
	command->result = -ENOTCONN;
	for (struct traffic *one = command->port->traffic; one; one = one->next_on_port) {
		if (!one->active || one->profile != command->profile)
			continue;
		command->traffic = one;
		command->result = 0;
		change->function(command);
	}
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
	return apply(generator, port, do_pause, (struct command){.profile = profile, .paused = paused});
}

int ws_generator_set_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
							double factor)
{
	int error = check_factor(factor);
	return error ? error
				 : apply(generator, port, do_set_factor,
						 (struct command){.profile = profile, .factor = factor});
}

int ws_generator_pause_stream(struct ws_generator *generator, uint16_t port, uint32_t profile,
							  uint32_t stream_id, bool paused)
{
	return apply(generator, port, do_pause_stream,
				 (struct command){.profile = profile, .stream = stream_id, .paused = paused});
}

int ws_generator_set_stream_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
								   uint32_t stream_id, double factor)
{
	int error = check_factor(factor);
	return error
			   ? error
			   : apply(generator, port, do_set_stream_factor,
					   (struct command){.profile = profile, .stream = stream_id, .factor = factor});
}

/* ---- what runs */

struct listing {
	const struct generator_port *port;
	struct ws_profile_state *out;
	uint32_t count, max;
};

static void do_list(void *argument)
{
	struct listing *listing = argument;
	for (const struct traffic *one = listing->port->traffic; one; one = one->next_on_port) {
		if (!one->active)
			continue;
		if (listing->count < listing->max)
			listing->out[listing->count] = (struct ws_profile_state){one->profile, one->paused};
		listing->count++;
	}
}

int ws_generator_profiles(struct ws_generator *generator, uint16_t port,
						  struct ws_profile_state *out, uint32_t max)
{
	int error = check_port(generator, port);
	struct listing listing = {.port = &generator->ports[port], .out = out, .max = max};
	if (error)
		return error;
	generator_ask(generator, generator_worker_of(generator, port), do_list, &listing);
	return (int)listing.count;
}
