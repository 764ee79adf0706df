/* SPDX-License-Identifier: Apache-2.0 */
/* The end of traffic: taken from the worker, and freed once the drivers have given all of it back.
 */
#include "dev/port.h"
#include "generator/control/command.h"
#include "generator/traffic/traffic.h"

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
	command_ask(generator, function, &command);
	for (struct traffic *one = command.traffic; one; one = one->next_on_port)
		one->attached = false;
}

static void do_ask_home(void *argument)
{
	struct command *command = argument;
	/* Some drivers find out only then what has been sent. */
	port_transmit(command->port->index, 0, NULL, 0);
	command->result = traffic_is_home(command->traffic);
}

static bool is_home(struct ws_generator *generator, struct traffic *traffic)
{
	struct command command = {.port = &generator->ports[traffic->port], .traffic = traffic};
	return command_ask(generator, do_ask_home, &command);
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

static int stop_traffic(struct ws_generator *generator, uint16_t port, mailbox_fn *detach_fn,
						uint32_t profile)
{
	int error = command_check_port(generator, port);
	if (error)
		return error;
	ask_to_detach(generator, detach_fn,
				  (struct command){.port = &generator->ports[port], .profile = profile});
	generator_reap(generator);
	return 0;
}

int ws_generator_stop(struct ws_generator *generator, uint16_t port, uint32_t profile)
{
	return stop_traffic(generator, port, do_detach_profile, profile);
}

int ws_generator_stop_port(struct ws_generator *generator, uint16_t port)
{
	return stop_traffic(generator, port, do_detach_all, 0);
}
