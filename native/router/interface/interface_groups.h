/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct ws_router;

/* Main thread: what the interface, or one on its port, listens to has changed. */
void router_update_groups(struct ws_router *router, uint16_t index);
