/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces by name. Main thread only. */
#pragma once

#include <stdint.h>

struct ws_router;

/* The interface's number, or -1. */
int interface_find(const struct ws_router *router, const char *name);
/* Add the interface, whose name is in its settings; -ENOMEM with an error text. */
int interface_names_add(struct ws_router *router, uint16_t index);
/* Call this before its settings are cleared. */
void interface_names_remove(struct ws_router *router, uint16_t index);
void interface_names_free(struct ws_router *router);
