/* SPDX-License-Identifier: Apache-2.0 */
/* Stop of traffic: taken from the workers, and freed once the drivers have returned all its
 * packets. */
#include "dev/port.h"
#include "generator/control/command.h"
#include "generator/control/sending.h"
#include "generator/traffic/traffic.h"
#include "wirespeed/generator.h"

/* Unlink the traffic that `wanted` selects, and chain it up. */
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
	return command_profile(command, traffic->profile) >= 0;
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

/* On all workers of the port. */
static void ask_to_detach(struct ws_generator *generator, uint16_t index, mailbox_fn *function,
						  const uint32_t *profiles, uint32_t count)
{
	struct command commands[WS_MAX_WORKERS];
	const struct served_port *port = &generator->ports[index];
	for (uint16_t i = 0; i < port->count; i++)
		commands[i] = (struct command){
			.port = &port->shares[i], .profiles = profiles, .profile_count = count};
	generator_ask_shares(generator, index, function, commands, sizeof(commands[0]));
	for (uint16_t i = 0; i < port->count; i++)
		for (struct traffic *one = commands[i].traffic; one; one = one->next_on_port)
			sending_end(generator, one);
}

/* Goes through the main thread's list; the main thread waits in the meantime. */
static void do_ask_home(void *argument)
{
	const struct command *command = argument;
	/* Some drivers free sent packets only in the next send call. */
	port_transmit(command->port->index, command->port->tx_queue, NULL, 0);
	for (struct traffic *one = command->traffic; one; one = one->next)
		if (one->share == command->port) {
			one->home = traffic_is_home(one);
			one->asked = true;
		}
}

static bool has_ended_share(struct served_port *port)
{
	bool has = false;
	for (uint16_t i = 0; i < port->count; i++) {
		uint32_t ended = __atomic_load_n(&port->shares[i].ended, __ATOMIC_ACQUIRE);
		has |= ended != port->shares[i].reaped;
		port->shares[i].reaped = ended;
	}
	return has;
}

/* Ask each worker that sent stopped traffic once. */
static void ask_home(struct ws_generator *generator)
{
	for (struct traffic *one = generator->stopped; one; one = one->next)
		one->asked = false;
	for (struct traffic *one = generator->stopped; one; one = one->next) {
		struct command command = {.port = one->share, .traffic = generator->stopped};
		if (!one->asked)
			generator_ask(generator, one->share->worker, do_ask_home, &command);
	}
}

/* The workers are asked only for ports with traffic that has ended or was stopped. */
void generator_reap(struct ws_generator *generator)
{
	for (uint16_t i = 0; i < generator->port_count; i++)
		if (has_ended_share(&generator->ports[i]))
			ask_to_detach(generator, i, do_detach_ended, NULL, 0);
	ask_home(generator);
	for (struct traffic **at = &generator->stopped; *at;) {
		struct traffic *traffic = *at;
		if (traffic->home) {
			*at = traffic->next;
			traffic_free(traffic);
		} else {
			at = &traffic->next;
		}
	}
}

static int stop_traffic(struct ws_generator *generator, uint16_t port, mailbox_fn *detach_fn,
						const uint32_t *profiles, uint32_t count)
{
	int error = command_check_port(generator, port);
	if (!error)
		error = command_check_profiles(profiles, count);
	if (error)
		return error;
	ask_to_detach(generator, port, detach_fn, profiles, count);
	generator_reap(generator);
	return 0;
}

int ws_generator_stop(struct ws_generator *generator, uint16_t port, const uint32_t *profiles,
					  uint32_t count)
{
	return stop_traffic(generator, port, do_detach_profile, profiles, count);
}

int ws_generator_stop_port(struct ws_generator *generator, uint16_t port)
{
	return stop_traffic(generator, port, do_detach_all, NULL, 0);
}
