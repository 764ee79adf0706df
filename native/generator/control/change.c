/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of traffic while it sends, and what sends. */
#include "dev/error.h"
#include "dev/port.h"
#include "generator/control/command.h"
#include "generator/traffic/traffic.h"

#include <errno.h>
#include <rte_cycles.h>

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

/* The function is called for each of the command's profiles that has traffic to change; with
 * `factors` each has its own. */
struct traffic_change {
	struct command command;
	mailbox_fn *function;
	const double *factors;
	uint32_t changed;
};

static void do_change(void *argument)
{
	struct traffic_change *change = argument;
	struct command *command = &change->command;
	for (struct traffic *one = command->port->traffic; one; one = one->next_on_port) {
		int64_t at = one->active ? command_profile(command, one->profile) : -1;
		if (at < 0)
			continue;
		if (change->factors)
			command->factor = change->factors[at];
		command->traffic = one;
		one->wake = 0;
		change->changed++;
		change->function(command);
	}
}

/* How many profiles were changed. */
static int ask_to_change(struct ws_generator *generator, uint16_t index,
						 struct traffic_change *change)
{
	int error = command_check_port(generator, index);
	if (!error)
		error = command_check_profiles(change->command.profiles, change->command.profile_count);
	if (error)
		return error;
	change->command.port = &generator->ports[index];
	generator_ask(generator, generator_worker_of(generator, index), do_change, change);
	return (int)change->changed;
}

int ws_generator_pause(struct ws_generator *generator, uint16_t port, const uint32_t *profiles,
					   uint32_t count, bool paused)
{
	struct traffic_change change = {
		.command = {.profiles = profiles, .profile_count = count, .paused = paused},
		.function = do_pause,
	};
	return ask_to_change(generator, port, &change);
}

int ws_generator_set_factors(struct ws_generator *generator, uint16_t port,
							 const uint32_t *profiles, const double *factors, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int error = command_check_factor(factors[i]);
		if (error)
			return error;
	}
	struct traffic_change change = {
		.command = {.profiles = profiles, .profile_count = count},
		.function = do_set_factor,
		.factors = factors,
	};
	return ask_to_change(generator, port, &change);
}

static int change_stream(struct ws_generator *generator, uint16_t index, uint32_t profile,
						 mailbox_fn *function, struct command command)
{
	struct traffic_change change = {command, function, NULL, 0};
	change.command.profiles = &profile;
	change.command.profile_count = 1;
	int changed = ask_to_change(generator, index, &change);
	if (changed < 0)
		return changed;
	if (!changed)
		return fail(-ENOTCONN, "port %s sends nothing; start it first", port_name(index));
	if (change.command.result == -ENOENT)
		return fail(-ENOENT, "port %s has no stream %u", port_name(index), command.stream);
	return change.command.result;
}

int ws_generator_pause_stream(struct ws_generator *generator, uint16_t port, uint32_t profile,
							  uint32_t stream_id, bool paused)
{
	return change_stream(generator, port, profile, do_pause_stream,
						 (struct command){.stream = stream_id, .paused = paused});
}

int ws_generator_set_stream_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
								   uint32_t stream_id, double factor)
{
	int error = command_check_factor(factor);
	return error ? error
				 : change_stream(generator, port, profile, do_set_stream_factor,
								 (struct command){.stream = stream_id, .factor = factor});
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
	int error = command_check_port(generator, port);
	struct listing listing = {.port = &generator->ports[port], .out = out, .max = max};
	if (error)
		return error;
	generator_ask(generator, generator_worker_of(generator, port), do_list, &listing);
	return (int)listing.count;
}
