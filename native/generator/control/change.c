/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of running traffic, and the list of running profiles. */
#include "dev/error.h"
#include "dev/port.h"
#include "generator/control/command.h"
#include "generator/traffic/traffic.h"
#include "wirespeed/generator.h"

#include <errno.h>
#include <rte_cycles.h>
#include <stdlib.h>
#include <string.h>

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
	if (found >= 0)
		command->result = 0;
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

/* `change` is called for each of the command's profiles that has traffic to change; with `factors`
 * each has its own. Profiles for which it was called are marked, by their place in the command. */
struct traffic_change {
	struct command command;
	mailbox_fn *function;
	const double *factors;
	uint8_t *marks;
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
		/* Other workers of the port may set the same mark. */
		__atomic_store_n(&change->marks[at], 1, __ATOMIC_RELAXED);
		change->function(command);
	}
}

/* Returns the number of changed profiles. `*result` becomes 0 if a worker found the stream. */
static int ask_to_change(struct ws_generator *generator, uint16_t index,
						 struct traffic_change change, int *result)
{
	struct traffic_change changes[WS_MAX_WORKERS];
	uint32_t count = change.command.profile_count;
	int changed = 0, error = command_check_port(generator, index);
	if (!error)
		error = command_check_profiles(change.command.profiles, count);
	if (error)
		return error;
	const struct served_port *port = &generator->ports[index];
	change.marks = calloc(1, count + 1);
	if (!change.marks)
		return fail(-ENOMEM, "no memory to change %u profiles", count);
	for (uint16_t i = 0; i < port->count; i++) {
		changes[i] = change;
		changes[i].command.port = &port->shares[i];
	}
	generator_ask_shares(generator, index, do_change, changes, sizeof(changes[0]));
	for (uint16_t i = 0; i < port->count; i++)
		*result = changes[i].command.result ? *result : 0;
	for (uint32_t i = 0; i < count; i++)
		changed += change.marks[i];
	free(change.marks);
	return changed;
}

int ws_generator_pause(struct ws_generator *generator, uint16_t port, const uint32_t *profiles,
					   uint32_t count, bool paused)
{
	struct traffic_change change = {
		.command = {.profiles = profiles, .profile_count = count, .paused = paused},
		.function = do_pause,
	};
	int result;
	return ask_to_change(generator, port, change, &result);
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
	int result;
	return ask_to_change(generator, port, change, &result);
}

static int change_stream(struct ws_generator *generator, uint16_t index, uint32_t profile,
						 mailbox_fn *function, struct command command)
{
	struct traffic_change change = {command, function, NULL, NULL};
	change.command.profiles = &profile;
	change.command.profile_count = 1;
	change.command.result = -ENOENT;
	int result = -ENOENT, changed = ask_to_change(generator, index, change, &result);
	if (changed < 0)
		return changed;
	if (!changed)
		return fail(-ENOTCONN, "port %s sends nothing; start it first", port_name(index));
	if (result)
		return fail(result, "port %s has no stream %u", port_name(index), command.stream);
	return 0;
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

/* ---- running profiles */

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

static int compare_states(const void *a, const void *b)
{
	uint32_t x = ((const struct ws_profile_state *)a)->profile,
			 y = ((const struct ws_profile_state *)b)->profile;
	return (x > y) - (x < y);
}

/* Merge the states that several workers report for one profile: it is paused if all of them are. */
static uint32_t unite(struct ws_profile_state *states, uint32_t count)
{
	uint32_t kept = 0;
	qsort(states, count, sizeof(states[0]), compare_states);
	for (uint32_t i = 0; i < count; i++) {
		if (kept && states[kept - 1].profile == states[i].profile)
			states[kept - 1].paused &= states[i].paused;
		else
			states[kept++] = states[i];
	}
	return kept;
}

static void list_shares(struct ws_generator *generator, uint16_t index, struct listing *listing)
{
	const struct served_port *port = &generator->ports[index];
	listing->count = 0;
	for (uint16_t i = 0; i < port->count; i++) {
		listing->port = &port->shares[i];
		generator_ask(generator, port->shares[i].worker, do_list, listing);
	}
}

int ws_generator_profiles(struct ws_generator *generator, uint16_t index,
						  struct ws_profile_state *out, uint32_t max)
{
	struct listing listing = {0};
	int error = command_check_port(generator, index);
	if (error)
		return error;
	list_shares(generator, index, &listing);
	listing.max = listing.count; /* no profile is started during the listing */
	listing.out = calloc((size_t)listing.max + 1, sizeof(*listing.out));
	if (!listing.out)
		return fail(-ENOMEM, "no memory to list %u profiles", listing.max);
	list_shares(generator, index, &listing);
	uint32_t count = unite(listing.out, listing.count);
	if (max)
		memcpy(out, listing.out, RTE_MIN(count, max) * sizeof(*out));
	free(listing.out);
	return (int)count;
}
