/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the main thread has a port's worker do to its traffic. Everything is built and freed on the
 * main thread; the functions named do_… run on the worker between two bursts.
 */
#ifndef GENERATOR_COMMAND_H
#define GENERATOR_COMMAND_H

#include "generator/control/generator.h"

struct command {
	struct generator_port *port;
	struct traffic *traffic;
	uint32_t profile, stream; /* stream: its id */
	double factor;
	bool paused;
	int result;
};

static inline int command_ask(struct ws_generator *generator, mailbox_fn *function,
							  struct command *command)
{
	generator_ask(generator, generator_worker_of(generator, command->port->index), function,
				  command);
	return command->result;
}

/* 0, or the code of an error whose line is told. */
int command_check_port(const struct ws_generator *generator, uint16_t port);
int command_check_factor(double factor);

#endif
