/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct ws_router;

/* Main thread: the groups of the interface, or of one on its port, have changed. */
void router_update_groups(struct ws_router *router, uint16_t index);
