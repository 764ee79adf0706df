/* SPDX-License-Identifier: Apache-2.0 */
/* What interfaces of all kinds have in common when they are made and let go of. */
#pragma once

#include <stdint.h>

struct interface;
struct interface_settings;
struct ws_router;

/* -EINVAL or -EEXIST, with its line, of a name that no further interface may have. */
int interface_check_name(const struct ws_router *router, const char *name);
/* Of an interface that is no port; -ENOSPC when there are too many. */
int interface_free_index(struct ws_router *router);
/* `given` and `settings` hold what differs from one to another. Nothing was counted of it yet. */
int interface_make(struct ws_router *router, uint16_t index, const struct interface *given,
				   const struct interface_settings *settings);
/* The same of one that is no port and no sub-interface: its name is checked, and its index found
 * and returned. */
int interface_make_own(struct ws_router *router, const struct interface *given,
					   struct interface_settings *settings);
/* Its number is free again once whoever could see it is done with it. */
void interface_free(struct ws_router *router, uint16_t index);
/* A sub-interface that is to be deleted gets no more of its port's frames. */
void subinterface_leave(struct ws_router *router, uint16_t index);
