/* SPDX-License-Identifier: Apache-2.0 */
/* Creation and deletion of interfaces of all kinds. */
#pragma once

#include <stdint.h>

struct interface;
struct interface_settings;
struct ws_router;

/* -EINVAL or -EEXIST, with an error text, if no further interface may have the name. */
int interface_check_name(const struct ws_router *router, const char *name);
/* A free index that is not a port's; -ENOSPC if there are too many interfaces. */
int interface_free_index(struct ws_router *router);
/* `given` and `settings` hold the values that differ between interfaces. All counters start at 0.
 */
int interface_make(struct ws_router *router, uint16_t index, const struct interface *given,
				   const struct interface_settings *settings);
/* interface_make for kinds other than ports and sub-interfaces: checks the name, and chooses and
 * returns the index. */
int interface_make_own(struct ws_router *router, const struct interface *given,
					   struct interface_settings *settings);
/* Free the number after all readers are done with it. */
void interface_free(struct ws_router *router, uint16_t index);
/* Remove a sub-interface that is to be deleted from its port's table. */
void subinterface_leave(struct ws_router *router, uint16_t index);
