/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands of the main thread to the workers of a port. The main thread builds and frees all
 * memory; functions do_… run on the worker between two bursts.
 */
#pragma once

#include "generator/control/generator.h"

struct command {
	struct generator_port *port; /* the worker's share of the port */
	struct traffic *traffic;
	const uint32_t *profiles; /* ascending */
	uint32_t profile_count;
	uint32_t stream; /* its id */
	double factor;
	bool paused;
	int result;
};

/* Returns 0, or a negative errno with an error text. */
int command_check_port(const struct ws_generator *generator, uint16_t port);
int command_check_factor(double factor);
int command_check_profiles(const uint32_t *profiles, uint32_t count);

/* Index of the profile in the command; negative: not in it. */
int64_t command_profile(const struct command *command, uint32_t profile);
