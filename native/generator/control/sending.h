/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which traffic the workers have: found, added and taken out at a cost that does not grow with how
 * much there is. The main thread's.
 */
#pragma once

#include "generator/control/generator.h"
#include "generator/traffic/traffic.h"

/* NULL: the port does not send this profile. */
struct traffic *sending_find(const struct ws_generator *generator, uint16_t port, uint32_t profile);
void sending_add(struct ws_generator *generator, struct traffic *traffic);
/* It joins those that have stopped. */
void sending_end(struct ws_generator *generator, struct traffic *traffic);
