/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running traffic. The cost of search, addition and removal does not depend on its amount. Main
 * thread only.
 */
#pragma once

#include "generator/control/generator.h"
#include "generator/traffic/traffic.h"

/* NULL: the port does not send this profile. */
struct traffic *sending_find(const struct ws_generator *generator, uint16_t port, uint32_t profile);
void sending_add(struct ws_generator *generator, struct traffic *traffic);
/* Move the traffic to the generator's stopped traffic. */
void sending_end(struct ws_generator *generator, struct traffic *traffic);
