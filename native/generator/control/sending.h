/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traffic that the workers have. Search, addition and removal cost the same however much
 * there is. Main thread only.
 */
#pragma once

#include "generator/control/generator.h"
#include "generator/traffic/traffic.h"

/* NULL: the port does not send this profile. */
struct traffic *sending_find(const struct ws_generator *generator, uint16_t port, uint32_t profile);
void sending_add(struct ws_generator *generator, struct traffic *traffic);
/* It joins those that have stopped. */
void sending_end(struct ws_generator *generator, struct traffic *traffic);
